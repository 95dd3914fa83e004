"""How examples are shared out in whole numbers: by proportion, by owner, by hold-out."""

import itertools

import numpy as np


def apportion(total: int, weights: np.ndarray, rng: np.random.Generator) -> np.ndarray:
  """Shares `total` things in proportion to `weights`, by largest remainder.

  If there are enough for all, everyone with a positive weight gets at least one; the others then
  share what is left. Equal remainders are served in random order.

  Args:
    total: how many things to share.
    weights: integers [n], not negative.
    rng: decides ties only.

  Returns:
    int64 [n] that sums to `total`; all zero if every weight is.
  """
  weights = np.asarray(weights, np.int64)
  shares = np.zeros_like(weights)
  active = weights > 0
  if total >= active.sum():
    # Anyone who is due less than one gets one, which lowers what the others are due.
    while (small := active & (total * weights < weights[active].sum())).any():
      shares[small] = 1
      total -= small.sum()
      active &= ~small
  if not active.any():
    return shares
  # In integers, so that equal shares are exactly equal.
  whole, remainder = np.divmod(total * weights[active], weights[active].sum())
  order = rng.permutation(len(whole))
  order = order[np.argsort(-remainder[order], kind='stable')]
  whole[order[: total - whole.sum()]] += 1
  shares[active] = whole
  return shares


def group_by_owner(owners: np.ndarray, num_owners: int) -> tuple[np.ndarray, ...]:
  """Lists what each owner has.

  Args:
    owners: integers [n], the owner of each example, in [0, num_owners) or negative for nobody.
    num_owners: how many owners there are.

  Returns:
    For each owner its examples' indices, int64, ascending.
  """
  order = np.argsort(owners, kind='stable')
  bounds = np.searchsorted(owners[order], np.arange(num_owners + 1))
  return tuple(order[start:end] for start, end in itertools.pairwise(bounds))


def hold_out(
  labels: np.ndarray, fraction: float, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
  """Splits examples in two, stratified by class.

  A fraction of the examples (rounded to the nearest number, at least one) is held out. Each class
  gives examples in proportion to its number of examples less one. It gives at least one if there
  are enough for all such classes (`apportion`). So the last example of a class is never held out.

  Args:
    labels: integers [n], not negative.
    fraction: the part to hold out, in [0, 1); 0 holds out nothing.
    rng: chooses the examples.

  Returns:
    The indices kept and the indices held out, int64, both ascending.
  """
  if not 0 <= fraction < 1:
    raise ValueError(f'The fraction to hold out is {fraction}, expected a number in [0, 1).')
  held = np.zeros(len(labels), bool)
  if fraction > 0 and len(labels):
    spare = np.maximum(np.bincount(labels) - 1, 0)
    total = min(max(int(fraction * len(labels) + 0.5), 1), spare.sum())
    shares = apportion(total, spare, rng)
    for label in np.flatnonzero(shares):
      held[rng.permutation(np.flatnonzero(labels == label))[: shares[label]]] = True
  return np.flatnonzero(~held), np.flatnonzero(held)


def deal_folds(
  labels: np.ndarray, owners: np.ndarray | None, num_folds: int, rng: np.random.Generator
) -> np.ndarray:
  """Deals each owner's examples to folds, stratified by class, as StratifiedKFold of scikit-learn.

  The folds of an owner's examples differ in size by at most one. So do the folds of the owner's
  examples of one class. Both also hold where there are fewer examples than folds. An owner's only
  example is in no fold.

  Args:
    labels: integers [n], not negative.
    owners: integers [n], the owner of each example from 0; None if all have one.
    num_folds: at least 2.
    rng: shuffles the examples of a class.

  Returns:
    int64 [n], the fold of each example from 0; -1 for none.
  """
  folds = np.full(len(labels), -1)
  for group in _groups(labels, owners):
    if len(group) > 1:
      shuffled = rng.permutation(group)
      by_class = shuffled[np.argsort(labels[shuffled], kind='stable')]
      folds[by_class] = np.arange(len(group)) % num_folds
  return folds


def hold_out_of_each(
  labels: np.ndarray, owners: np.ndarray | None, fraction: float, rng: np.random.Generator
) -> np.ndarray:
  """Holds out a part of each owner's examples, stratified by class, as `hold_out` does.

  Args:
    labels: integers [n], not negative.
    owners: integers [n], the owner of each example from 0; None if all have one.
    fraction: the part to hold out, in [0, 1).
    rng: chooses the examples.

  Returns:
    bool [n], which examples are held out.
  """
  is_held = np.zeros(len(labels), bool)
  for group in _groups(labels, owners):
    _, held = hold_out(labels[group], fraction, rng)
    is_held[group[held]] = True
  return is_held


def _groups(labels: np.ndarray, owners: np.ndarray | None) -> tuple[np.ndarray, ...]:
  """Returns each owner's examples; all examples where nobody owns them."""
  if owners is None:
    return (np.arange(len(labels)),)
  return group_by_owner(owners, int(owners.max(initial=-1)) + 1)
