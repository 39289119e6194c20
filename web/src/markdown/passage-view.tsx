/** A passage of a text: its words as they are written until it is its turn, then as Markdown. */
import { memo, useEffect, useRef, useState } from 'react';
import { useTurn } from '../parts/turns.ts';
import { useNear } from '../parts/use-near.ts';
import type { Block } from './blocks.ts';
import { CodeBlock } from './code-block.tsx';
import { NearView } from './formula.tsx';
import { linksFor } from './links.ts';
import { stubsFor } from './notes.ts';
import { type Open, openAfter } from './outline.ts';
import { Prose } from './prose.tsx';

/** What blocks need of other parts of the text. */
export type Elsewhere = { links: ReadonlyMap<string, string>; notes: ReadonlySet<string> };
export const NOTHING: Elsewhere = { links: new Map(), notes: new Set() };

const neededBy = (block: Block, { links, notes }: Elsewhere): string =>
  block.kind === 'code'
    ? ''
    : [linksFor(block, links), stubsFor(block, notes)].filter((text) => text !== '').join('\n\n');

type BlockProps = { block: Block; needed: string; ended: boolean; under: Open };

const BlockView = memo(({ block, needed, ended, under }: BlockProps) =>
  block.kind === 'code' ? (
    <CodeBlock language={block.language} lines={block.lines} closed={block.closed || ended} />
  ) : (
    <Prose
      text={needed === '' ? block.text : `${block.text}\n\n${needed}`}
      continues={block.continues === true}
      under={under}
    />
  ),
);

const writtenOf = (block: Block): string => (block.kind === 'code' ? block.lines.join('\n') : block.text);

/** As the style sheet asks: then what is out of view keeps its size, whatever becomes of what is in it. */
const LAYS_OUT_VIEW_ALONE = CSS.supports('overflow-anchor', 'auto') && CSS.supports('content-visibility', 'auto');

type Props = {
  blocks: readonly Block[];
  elsewhere: Elsewhere;
  ended: boolean;
  /** With the page, not at its turn. */
  atOnce: boolean;
  /** Of a text so long that what is out of view is not laid out. */
  isLong?: boolean;
  isNote?: boolean;
  /** The headings that it stands under. */
  under?: Open;
};

export const PassageView = memo((props: Props) => {
  const { blocks, elsewhere, ended, atOnce, isLong = false, isNote = false, under = '' } = props;
  const element = useRef<HTMLDivElement>(null);
  // A text that was drawn is drawn again at its turn, where something that it refers to came later.
  const [drawn, setDrawn] = useState(atOnce ? elsewhere : undefined);
  const isBehind =
    drawn !== elsewhere &&
    (drawn === undefined || blocks.some((block) => neededBy(block, drawn) !== neededBy(block, elsewhere)));
  const isInView = useNear(element);
  const [wasInView, setWasInView] = useState(false);
  useEffect(() => {
    if (isInView) setWasInView(true);
  }, [isInView]);
  // Nobody knows yet whether what is drawn with the page is in view.
  const isNear = isInView || (wasInView ? !(isLong && LAYS_OUT_VIEW_ALONE) : atOnce);
  useTurn(isBehind, isInView, () => setDrawn(elsewhere));
  const own = isNote ? blocks : blocks.filter((block) => block.kind === 'code' || block.note === undefined);
  const continues = own[0]?.kind === 'prose' && own[0].continues === true;
  return (
    <div
      ref={element}
      className={`passage ${isLong ? 'passage-long' : ''} ${continues && !isNote ? 'passage-continued' : ''}`}
    >
      {drawn === undefined ? (
        <div className="prose whitespace-pre-wrap">{own.map(writtenOf).join('\n\n')}</div>
      ) : (
        <NearView value={isNear}>
          {own.map((block, index) => (
            <BlockView
              // biome-ignore lint/suspicious/noArrayIndexKey: blocks only ever come at the end.
              key={index}
              block={block}
              needed={neededBy(block, drawn)}
              ended={ended}
              under={openAfter(own.slice(0, index), under)}
            />
          ))}
        </NearView>
      )}
    </div>
  );
});
