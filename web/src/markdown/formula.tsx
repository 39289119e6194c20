/** One formula. What draws it is loaded with the first one; until then, and where it cannot be read, it stands as written. */
import { memo, type ReactNode, useEffect, useState } from 'react';
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

export const FormulaView = memo(({ formula }: { formula: Formula }) => {
  const [render, setRender] = useState<Render | undefined>(() => loaded);
  useEffect(() => {
    if (render === undefined) void load().then((found) => setRender(() => found));
  }, [render]);
  const { tex, display, source } = formula;
  const drawn = render?.(tex, display);
  if (drawn === undefined) return <code data-formula={source}>{source}</code>;
  return (
    <span className={display ? 'formula-display' : 'formula'} data-formula={source} title={source}>
      {drawn}
    </span>
  );
});
