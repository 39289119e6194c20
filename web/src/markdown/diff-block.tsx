/** A block that a model calls a diff, with the colours of every other change on the page. */
import { memo } from 'react';
import { diffLines } from '../calls/diff-lines.ts';

export const isDiff = (language: string): boolean => /^(?:diff|patch|udiff)$/i.test(language);

export const DiffBlock = memo(({ text, isAfterHunk }: { text: string; isAfterHunk: boolean }) => (
  <>
    {diffLines(text, isAfterHunk).map((line, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines of a diff have no other name.
      <span key={index} className="diff-line" data-sign={line.sign}>
        {line.text || ' '}
      </span>
    ))}
  </>
));
