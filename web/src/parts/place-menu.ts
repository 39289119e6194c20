/** Where a list stands that a button opens: wholly in what is seen of the window, at the side that is asked for if it fits. Pure. */

type Box = { left: number; top: number; right: number; bottom: number };
type Size = { width: number; height: number };
type Wish = { side: 'up' | 'down'; align: 'left' | 'right' };

/** Between a list and its button. */
const GAP_PIXELS = 4;
/** Between a list and the edge of the window. */
const EDGE_PIXELS = 8;

const between = (least: number, value: number, most: number): number => Math.max(least, Math.min(value, most));

export const placeMenu = (button: Box, list: Size, seen: Box, { side, align }: Wish): { left: number; top: number } => {
  const [least, most] = [seen.top + EDGE_PIXELS, seen.bottom - EDGE_PIXELS - list.height];
  const tops = { up: button.top - GAP_PIXELS - list.height, down: button.bottom + GAP_PIXELS };
  const fits = (top: number): boolean => top >= least && top <= most;
  const other = side === 'up' ? tops.down : tops.up;
  const top = !fits(tops[side]) && fits(other) ? other : tops[side];
  const left = align === 'left' ? button.left : button.right - list.width;
  return {
    left: between(seen.left + EDGE_PIXELS, left, seen.right - EDGE_PIXELS - list.width),
    top: between(least, top, most),
  };
};
