/** A sentence in which commands and names stand between backticks, as they do in what halter says in a terminal. */
import { Fragment } from 'react';

const CODE = /`([^`\n]+)`/;

export const WithCode = ({ text }: { text: string }) =>
  // Every second part stood between two of them.
  text.split(CODE).map((part, index) =>
    index % 2 === 0 ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a sentence stay where they are.
      <Fragment key={index}>{part}</Fragment>
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: parts of a sentence stay where they are.
      <code key={index} className="rounded bg-hover px-1 font-mono text-[0.86em]">
        {part}
      </code>
    ),
  );
