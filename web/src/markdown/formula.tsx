/** One formula. What draws it is loaded with the first one; until then, and where it cannot be read, it stands as written. */
import { createContext, memo, type ReactNode, useContext, useEffect, useState } from 'react';
import { mayDrawAtOnce, useTurn } from '../parts/turns.ts';
import type { Formula } from './math.ts';

type Render = (tex: string, display: boolean) => ReactNode | undefined;
let loading: Promise<Render> | undefined;
let loaded: Render | undefined;
const load = (): Promise<Render> => {
  loading ??= import('./render-formula.ts').then(({ renderFormula }) => {
    loaded = renderFormula;
    return renderFormula;
  });
  return loading;
};

/** Whether what stands around a formula is near the view: each is dozens of elements, and a text may hold thousands. */
export const NearView = createContext(true);

export const FormulaView = memo(({ tex, display, source }: Formula) => {
  const [isDrawn, setDrawn] = useState(() => loaded !== undefined && mayDrawAtOnce());
  const [isLoaded, setLoaded] = useState(loaded !== undefined);
  const isNear = useContext(NearView);
  useEffect(() => {
    if (!isNear) setDrawn(false);
    else if (!isLoaded) void load().then(() => setLoaded(true));
  }, [isNear, isLoaded]);
  useTurn(isNear && isLoaded && !isDrawn, true, () => setDrawn(true));
  const drawn = isDrawn ? loaded?.(tex, display) : undefined;
  if (drawn === undefined) return <code data-formula={source}>{source}</code>;
  return (
    <span className={display ? 'formula-display' : 'formula'} data-formula={source} title={source}>
      {drawn}
    </span>
  );
});
