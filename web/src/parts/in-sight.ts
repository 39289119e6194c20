/** Whether the whole height of a thing is in sight: not cut by what scrolls or folds round it, nor by the window. */
const SLACK_PIXELS = 1;

export const isInSight = (element: Element | null): boolean => {
  if (element === null) return false;
  const { top, bottom } = element.getBoundingClientRect();
  if (bottom <= top) return false;
  const seen = window.visualViewport;
  const windowTop = seen?.offsetTop ?? 0;
  if (top < windowTop - SLACK_PIXELS) return false;
  if (bottom > windowTop + (seen?.height ?? window.innerHeight) + SLACK_PIXELS) return false;
  for (let around = element.parentElement; around; around = around.parentElement) {
    if (getComputedStyle(around).overflowY === 'visible') continue;
    const box = around.getBoundingClientRect();
    if (top < box.top - SLACK_PIXELS || bottom > box.bottom + SLACK_PIXELS) return false;
  }
  return true;
};
