import { useEffect, useState } from 'react';
import { copyText } from './copy-text.ts';
import { Icon } from './icons.tsx';

const SHOWN_MS = 1_500;

type Props = {
  text: () => string;
  label: string;
  /** What stands beside the drawing. */
  shown?: string;
};

export const CopyButton = ({ text, label, shown }: Props) => {
  const [done, setDone] = useState<'copied' | 'failed' | undefined>(undefined);
  useEffect(() => {
    if (done === undefined) return;
    const timer = setTimeout(() => setDone(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [done]);
  const copy = (): void => {
    void copyText(text()).then((isCopied) => setDone(isCopied ? 'copied' : 'failed'));
  };
  return (
    <button type="button" className="quiet-button" onClick={copy} aria-label={label} title={label}>
      <Icon name={done === 'copied' ? 'check' : 'copy'} size={14} />
      {done === undefined && shown}
      <span role="status" className={done === undefined ? 'sr-only' : ''}>
        {done === 'copied' ? 'Copied' : done === 'failed' ? 'Not copied' : ''}
      </span>
    </button>
  );
};
