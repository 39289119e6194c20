import { useMemo } from 'react';
import type { JsonValue } from '../../../src/core/json.ts';
import { jsonTokens } from './json-tokens.ts';

export const JsonView = ({ value, label }: { value: JsonValue; label: string }) => {
  const pieces = useMemo(() => {
    let at = 0;
    return jsonTokens(value).map((token) => {
      const key = at;
      at += token.text.length;
      return (
        <span key={key} className={`json-${token.kind}`}>
          {token.text}
        </span>
      );
    });
  }, [value]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms.
    <div className="scroll-area max-h-96" tabIndex={0} role="group" aria-label={label}>
      <pre className="mono mono-wrap">{pieces}</pre>
    </div>
  );
};
