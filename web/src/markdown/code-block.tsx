/** Code with its language, a way to copy it, and colours that come when they are there. */
import { memo, useEffect, useId, useRef, useState } from 'react';
import { CopyButton } from '../parts/copy-button.tsx';
import { Icon } from '../parts/icons.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useNear } from '../parts/use-near.ts';
import { Preview, previewKind } from '../preview/preview.tsx';
import { inBrowser } from '../state/browser-store.ts';
import { DiffBlock, isDiff } from './diff-block.tsx';
import { fileName } from './file-name.ts';
import { highlightLines, type Token } from './highlight.ts';

/** Lines that are coloured in one go. */
const GROUP_LINES = 30;
const CODE_CHARACTERS = 200_000;

type Group = {
  text: string;
  /** Of a diff: a hunk began above it. */
  isAfterHunk: boolean;
  tokens?: readonly (readonly Token[])[];
};
const HUNK = /^@@/m;

const isAfterHunk = (before: Group | undefined): boolean =>
  before !== undefined && (before.isAfterHunk || HUNK.test(before.text));

const add = (groups: Group[], lines: readonly string[]): void => {
  groups.push({ text: lines.join('\n'), isAfterHunk: isAfterHunk(groups.at(-1)) });
};

/** Whole groups of lines, each made once; and the lines after them. */
const useGroups = (
  lines: readonly string[],
  closed: boolean,
): { groups: readonly Group[]; rest: readonly string[] } => {
  const made = useRef<Group[]>([]);
  const count = Math.floor(lines.length / GROUP_LINES);
  while (made.current.length < count) {
    const from = made.current.length * GROUP_LINES;
    add(made.current, lines.slice(from, from + GROUP_LINES));
  }
  const last = lines.slice(count * GROUP_LINES);
  if (closed && last.length > 0 && made.current.length === count) add(made.current, last);
  return { groups: made.current, rest: closed ? [] : last };
};

/** Asks for the colours of the groups in their order. Returns how many have theirs. */
const useColours = (groups: readonly Group[], language: string): number => {
  const block = useId();
  const [coloured, setColoured] = useState(0);
  const asked = useRef(0);
  const count = groups.length;
  useEffect(() => {
    if (language === '') return;
    for (; asked.current < count; asked.current += 1) {
      const group = groups[asked.current] as Group;
      void highlightLines(block, language, group.text.split('\n')).then((lines) => {
        if (lines.length > 0) group.tokens = lines;
        setColoured((before) => before + 1);
      });
    }
  }, [groups, count, language, block]);
  return coloured;
};

/**
 * Colours are a dozen elements a line. Only what is near the view has them, so that a page with much code stays as light as
 * one with little; the text is there all the same, to be found and copied.
 */
const Lines = memo(({ group, isOfDiff }: { group: Group; coloured: boolean; isOfDiff: boolean }) => {
  const element = useRef<HTMLSpanElement>(null);
  const isNear = useNear(element);
  if (isOfDiff && isNear) {
    return (
      <span ref={element} className="block">
        <DiffBlock text={group.text} isAfterHunk={group.isAfterHunk} />
      </span>
    );
  }
  if (!group.tokens || !isNear) return <span ref={element} className="block">{`${group.text}\n`}</span>;
  let at = 0;
  return (
    <span ref={element} className="block">
      {group.tokens.map((line) => {
        const pieces = line.map(([text, className]) => {
          at += text.length;
          return className === '' ? (
            text
          ) : (
            <span key={at} className={className}>
              {text}
            </span>
          );
        });
        at += 1;
        return [...pieces, '\n'];
      })}
    </span>
  );
});

/** The lines that make no group yet. `before`: the groups above them, of a diff. */
const Rest = ({ lines, before }: { lines: readonly string[]; before: readonly Group[] | undefined }) => (
  <span className="block">
    {before ? <DiffBlock text={lines.join('\n')} isAfterHunk={isAfterHunk(before.at(-1))} /> : lines.join('\n')}
  </span>
);

/** The last choice counts for the next block. */
const WRAP = 'halter wrap';

type ActionsProps = {
  language: string;
  lines: readonly string[];
  isWrapped: boolean;
  onWrap(isWrapped: boolean): void;
};

const CodeActions = ({ language, lines, isWrapped, onWrap }: ActionsProps) => (
  <>
    <button
      type="button"
      className="quiet-button"
      aria-label="Wrap lines"
      title="Wrap lines"
      aria-pressed={isWrapped}
      onClick={() => {
        inBrowser.set(WRAP, isWrapped ? 'off' : 'on');
        onWrap(!isWrapped);
      }}
    >
      <Icon name="wrap" size={14} />
    </button>
    <button
      type="button"
      className="quiet-button"
      aria-label="Download code"
      title="Download code"
      onClick={() => saveFile(fileName(language), `${lines.join('\n')}\n`)}
    >
      <Icon name="download" size={14} />
    </button>
  </>
);

export const CodeBlock = memo(
  ({ language, lines, closed }: { language: string; lines: readonly string[]; closed: boolean }) => {
    const { groups, rest } = useGroups(lines, closed);
    const isLong = lines.length * 40 > CODE_CHARACTERS;
    const [isWrapped, setWrapped] = useState(() => inBrowser.get(WRAP) === 'on');
    const [isDrawn, setDrawn] = useState(false);
    const kind = previewKind(language, lines);
    const coloured = useColours(groups, isLong || isDiff(language) ? '' : language);
    return (
      <figure className="group/code mb-3 overflow-hidden rounded border border-line bg-sunken">
        <figcaption className="flex min-h-8 items-center pl-3 pr-1 text-xs text-soft">
          <span className="min-w-0 flex-1 truncate">{language || 'text'}</span>
          {kind && closed && (
            <button type="button" className="quiet-button" aria-pressed={isDrawn} onClick={() => setDrawn(!isDrawn)}>
              <Icon name="eye" size={14} /> Preview
            </button>
          )}
          <CodeActions language={language} lines={lines} isWrapped={isWrapped} onWrap={setWrapped} />
          <CopyButton text={() => lines.join('\n')} label="Copy code" />
        </figcaption>
        {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms. */}
        <div
          className="scroll-area px-3 pb-2"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable with the keyboard.
          tabIndex={0}
          role="group"
          aria-label={language === '' ? 'Code' : `Code, ${language}`}
        >
          <pre className={isWrapped ? 'mono mono-wrap' : 'mono'}>
            <code className="block">
              {groups.map((group, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: groups only ever come at the end.
                <Lines key={index} group={group} coloured={index < coloured} isOfDiff={isDiff(language)} />
              ))}
              {rest.length > 0 && <Rest lines={rest} before={isDiff(language) ? groups : undefined} />}
            </code>
          </pre>
        </div>
        {kind && isDrawn && <Preview kind={kind} code={lines.join('\n')} />}
      </figure>
    );
  },
);
