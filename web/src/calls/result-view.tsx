import { useMemo, useState } from 'react';
import { bytes } from '../parts/format.ts';
import { readable } from '../parts/visible.ts';
import { asJson } from './json-tokens.ts';
import { JsonView } from './json-view.tsx';

/** What is shown of a long result until the person asks for the rest. */
const SHOWN_CHARACTERS = 12_000;
const JSON_CHARACTERS = 40_000;

export const ResultView = ({ data, label }: { data: string; label: string }) => {
  const [whole, setWhole] = useState(false);
  const json = useMemo(() => (data.length <= JSON_CHARACTERS ? asJson(data) : undefined), [data]);
  if (data.trim() === '') return <p className="text-sm text-soft">Nothing.</p>;
  if (json !== undefined) return <JsonView value={json} label={label} />;
  const shown = readable(whole ? data : data.slice(0, SHOWN_CHARACTERS));
  return (
    <>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
      <div
        className="scroll-area max-h-96"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
        tabIndex={0}
        role="group"
        aria-label={label}
      >
        <pre className="mono mono-wrap">{shown}</pre>
      </div>
      {!whole && data.length > SHOWN_CHARACTERS && (
        <button type="button" className="quiet-button" data-tells onClick={() => setWhole(true)}>
          Show all {bytes(data.length)}
        </button>
      )}
    </>
  );
};
