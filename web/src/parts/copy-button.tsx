import { useEffect, useState } from 'react';
import { Icon } from './icons.tsx';

const SHOWN_MS = 1_500;

export const CopyButton = ({ text, label }: { text: () => string; label: string }) => {
  const [done, setDone] = useState<'copied' | 'failed' | undefined>(undefined);
  useEffect(() => {
    if (done === undefined) return;
    const timer = setTimeout(() => setDone(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = (): void => {
    navigator.clipboard.writeText(text()).then(
      () => setDone('copied'),
      () => setDone('failed'),
    );
  };
  return (
    <button type="button" className="quiet-button" onClick={copy} aria-label={label} title={label}>
      <Icon name={done === 'copied' ? 'check' : 'copy'} size={14} />
      <span role="status" className={done === undefined ? 'sr-only' : ''}>
        {done === 'copied' ? 'Copied' : done === 'failed' ? 'Not copied' : ''}
      </span>
    </button>
  );
};
