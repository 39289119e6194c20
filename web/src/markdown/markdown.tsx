/** A model's text. What was read of it is kept: only its last block is read again while it grows. */
import { memo, useRef } from 'react';
import { type Block, BlockReader } from './blocks.ts';
import { type Note, notesOf } from './notes.ts';
import { NotesContext, NotesView, useNotes } from './notes-view.tsx';
import { openAfter } from './outline.ts';
import { type Elsewhere, NOTHING, PassageView } from './passage-view.tsx';
import { drawnFrom, PASSAGE, type Passage, PassageReader } from './passages.ts';

/** From so many on, what is out of view is not laid out. */
const LONG_PASSAGES = 6;
const NOTES_AT_ONCE = 30;

type ReadText = {
  blocks: readonly Block[];
  passages: readonly Passage[];
  links: ReadonlyMap<string, string>;
  /** Another one for each text that is no longer form of the one before it, such as another branch's. */
  generation: number;
};
type Read = { reader: BlockReader; passages: PassageReader; text: string; live: boolean; generation: number };

/** The blocks of a text that mostly grows at its end, and the passages in which they are drawn. */
const useBlocks = (text: string, live: boolean): ReadText => {
  const read = useRef<Read>(undefined);
  const known = read.current;
  if (known === undefined || !text.startsWith(known.text) || (!known.live && text !== known.text))
    read.current = {
      reader: new BlockReader(),
      passages: new PassageReader(),
      text: '',
      live: true,
      generation: (known?.generation ?? 0) + 1,
    };
  const now = read.current as Read;
  if (text.length > now.text.length) now.reader.push(text.slice(now.text.length));
  if (!live && now.live) now.reader.end();
  now.text = text;
  now.live = live;
  const blocks = now.reader.blocks();
  const passages = now.passages.read(blocks, now.reader.closedCount);
  return { blocks, passages, links: now.reader.definitions, generation: now.generation };
};

/** The same object as long as nothing came to it. */
const useElsewhere = ({ links, generation }: ReadText, notes: readonly Note[]): Elsewhere => {
  const known = useRef({ elsewhere: NOTHING, generation });
  const { elsewhere, generation: before } = known.current;
  const hasMore = elsewhere.links.size !== links.size || notes.some(({ label }) => !elsewhere.notes.has(label));
  if (hasMore || before !== generation) {
    const labels = new Set(notes.map(({ label }) => label));
    known.current = { elsewhere: { links: new Map(links), notes: labels }, generation };
  }
  return known.current.elsewhere;
};

type Props = {
  text: string;
  live: boolean;
  /** How much of its end is drawn with the page; what else there is waits for its turn. */
  atOnce?: number;
};

export const Markdown = memo(({ text, live, atOnce = PASSAGE.atOnce }: Props) => {
  const read = useBlocks(text, live);
  const { blocks, passages, generation } = read;
  const notes = notesOf(blocks);
  const elsewhere = useElsewhere(read, notes);
  const first = drawnFrom(passages, live ? PASSAGE.atOnce : atOnce);
  const isLong = passages.length > LONG_PASSAGES;
  let under = '';
  return (
    <NotesContext value={useNotes(notes)}>
      <div data-passages key={generation}>
        {passages.map(({ blocks: part }, index) => {
          const above = under;
          under = openAfter(part, under);
          return (
            <PassageView
              // biome-ignore lint/suspicious/noArrayIndexKey: passages only ever come at the end.
              key={index}
              blocks={part}
              elsewhere={elsewhere}
              ended={!live || index < passages.length - 1}
              atOnce={index >= first}
              isLong={isLong}
              under={above}
            />
          );
        })}
      </div>
      {notes.length > 0 && (
        <NotesView key={`notes ${generation}`} notes={notes}>
          {(note) => (
            <PassageView
              blocks={note.blocks}
              elsewhere={elsewhere}
              ended
              atOnce={notes.length < NOTES_AT_ONCE}
              isNote
            />
          )}
        </NotesView>
      )}
    </NotesContext>
  );
});
