/** Which of the sides are shown: the sessions at the left, and what there is of this session at the right. */
import { useCallback, useEffect, useState } from 'react';
import { fits, useFits } from '../parts/use-fits.ts';
import { inBrowser } from '../state/browser-store.ts';

const WIDE = '(min-width: 1024px)';
/** Both sides and the conversation, though the conversation moves aside. */
const WIDER = '(min-width: 1280px)';
/** The empty margin has room for the right side: (window - sessions - conversation) / 2. */
const MARGIN = { besideSessions: '(min-width: 1600px)', alone: '(min-width: 1344px)' };

const LEFT_KEY = 'halter sessions';
const RIGHT_KEY = 'halter panel';
const isHidden = (key: string): boolean => inBrowser.get(key) === 'hidden';
const keep = (key: string, isShown: boolean): boolean => inBrowser.set(key, isShown ? 'shown' : 'hidden');

/** A dialog or a field among the sessions: a link that is shown once, a name that is being written. */
const isInUse = (): boolean =>
  document.activeElement?.closest('dialog, input, textarea')?.closest('[data-sessions]') != null;

export type Sides = {
  left: boolean;
  showLeft(shown: boolean): void;
  right: boolean;
  setRight(shown: boolean): void;
  /** The right side stands in the empty margin. */
  isBeside: boolean;
  /** Closes what is over the conversation. Whether something was. */
  closeOver(): boolean;
};

/** The right side opens by itself only where nothing moves for it; elsewhere it is opened. */
export const useSides = (hasRight: boolean): Sides => {
  const [isWide, isWider] = [useFits(WIDE), useFits(WIDER)];
  const [left, setLeft] = useState(() => isWide && !isHidden(LEFT_KEY));
  const isBeside = useFits(left ? MARGIN.besideSessions : MARGIN.alone);
  const [chosenRight, setChosenRight] = useState<boolean>();
  // A window that becomes narrow shows the conversation, and not what would now cover it, unless somebody is at work there.
  useEffect(() => {
    if (isWide || !isInUse()) setLeft(isWide && !isHidden(LEFT_KEY));
  }, [isWide]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it says when.
  useEffect(() => setChosenRight(undefined), [isWider]);
  const right = hasRight && (chosenRight ?? (isBeside && !isHidden(RIGHT_KEY)));
  const showLeft = useCallback((shown: boolean): void => {
    if (fits(WIDE)) keep(LEFT_KEY, shown);
    setLeft(shown);
  }, []);
  const setRight = useCallback(
    (shown: boolean): void => {
      if (isBeside) keep(RIGHT_KEY, shown);
      setChosenRight(shown);
    },
    [isBeside],
  );
  const closeOver = (): boolean => {
    const isLeftOver = left && !isWide;
    const isRightOver = right && !isWider;
    if (isLeftOver) setLeft(false);
    if (isRightOver) setChosenRight(false);
    return isLeftOver || isRightOver;
  };
  return { left, showLeft, right, setRight, isBeside, closeOver };
};
