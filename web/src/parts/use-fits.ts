/** Whether a query about the window holds, and holds still. */
import { useEffect, useState } from 'react';

/** As in the styles: less than this is a phone. */
export const NARROW = '(width < 40rem)';

export const fits = (query: string): boolean => window.matchMedia(query).matches;

export const useFits = (query: string): boolean => {
  const [isSo, setSo] = useState(() => fits(query));
  useEffect(() => {
    const media = window.matchMedia(query);
    const look = (): void => setSo(media.matches);
    look();
    media.addEventListener('change', look);
    return () => media.removeEventListener('change', look);
  }, [query]);
  return isSo;
};
