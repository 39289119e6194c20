/** A tool call: one line until it is opened, a red one where it failed; open, a failure's reason comes first. */
import { memo, type ReactNode, useId, useMemo, useState } from 'react';
import { refusedBecause } from '../../../src/core/failure-word.ts';
import { inPage } from '../../../src/core/page-words.ts';
import { reasonFor } from '../../../src/core/tool/display-status.ts';
import { FolderPicture } from '../markdown/picture.tsx';
import { picturesIn } from '../markdown/picture-paths.ts';
import { readable, visible } from '../parts/visible.ts';
import type { CallView, DraftCall } from '../state/view.ts';
import { callFacts, STATE_MARKS, STATE_WORDS, subjectOf, toolTitle } from './call-facts.ts';
import { withoutNames } from './diff-lines.ts';
import { DiffView } from './diff-view.tsx';
import { JsonView } from './json-view.tsx';
import { ResultView } from './result-view.tsx';

const TAIL_LINES = 5;

/** On a narrow page the facts stand in a second row, also while there are none: the line is as high as it will be. */
const LINE = 'call-line flex w-full gap-2 px-3 py-1.5 text-left text-sm max-sm:flex-wrap max-sm:gap-y-0 max-sm:py-0.5';
const FACTS =
  'ml-auto max-w-full shrink-0 truncate text-xs tabular-nums max-sm:min-h-[1lh] max-sm:basis-full max-sm:pl-5';

export const CallCard = memo(({ call }: { call: CallView }) => {
  const [open, setOpen] = useState(false);
  const body = useId();
  const failed = call.state === 'failed';
  const refused = call.state === 'denied' ? refusedBecause(call.result, call.reason) : undefined;
  const subject = subjectOf(call);
  const title = toolTitle(call.name);
  return (
    <article
      className="call"
      data-state={call.state}
      data-call={call.id}
      aria-label={`Tool call ${visible(call.name)}`}
    >
      <button
        type="button"
        className={`items-center ${LINE}`}
        aria-expanded={open}
        aria-controls={body}
        onClick={() => setOpen(!open)}
      >
        <span className="call-mark w-3 shrink-0 text-center" aria-hidden="true">
          {STATE_MARKS[call.state]}
        </span>
        <span className="sr-only">{STATE_WORDS[call.state]}:</span>
        <span
          className={`min-w-0 max-w-[60%] shrink-0 truncate font-medium ${failed ? 'text-bad' : ''}`}
          title={visible(call.name)}
        >
          {title.server && <span className="font-normal text-soft">{title.server} › </span>}
          {title.tool}
        </span>
        <span className="mono min-w-0 flex-1 truncate text-soft">{subject}</span>
        <span className={`${FACTS} ${failed ? 'text-bad' : 'text-soft'}`}>{callFacts(call).join(' · ')}</span>
      </button>
      {call.state === 'running' && call.output.trim() !== '' && !open && <OutputTail text={call.output} />}
      {refused && <p className="px-3 pb-2 pl-8 text-sm [overflow-wrap:anywhere]">{visible(refused)}</p>}
      {call.state === 'done' && <Made data={call.result?.data ?? null} />}
      <div id={body} hidden={!open}>
        {open && <CallBody call={call} reasonFirst={failed} />}
      </div>
    </article>
  );
});

/** The end of what a running call prints, at a height that does not change. */
const OutputTail = ({ text }: { text: string }) => (
  <pre className="mono mono-wrap mx-3 mb-2 ml-8 h-[calc(5*1.55*13px)] overflow-hidden text-soft">
    {readable(text).trimEnd().split('\n').slice(-TAIL_LINES).join('\n')}
  </pre>
);

/** Pictures that the call made, whether it is open or not. */
const Made = ({ data }: { data: string | null }) => {
  const paths = useMemo(() => picturesIn(data), [data]);
  return paths.length === 0 ? null : (
    <div className="flex flex-wrap gap-2 px-3 pb-2 pl-8">
      {paths.map((path) => (
        <FolderPicture key={path} path={path} />
      ))}
    </div>
  );
};

/** Its title is no heading: a call may stand under a heading of any level. */
const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <div className="min-w-0">
    <p className="label mb-1">{title}</p>
    {children}
  </div>
);

const CallBody = ({ call, reasonFirst }: { call: CallView; reasonFirst: boolean }) => {
  const { result } = call;
  // An edit that went well is its change; the arguments are what it was made of.
  if (call.preview?.diff && call.state === 'done' && call.repairs.length === 0) {
    return (
      <div className="flex flex-col gap-2 border-t border-tool-line px-3 py-2">
        <DiffView diff={withoutNames(call.preview.diff)} label={`Change by ${call.name}`} />
        {call.because && <p className="text-xs text-soft">Permission: {call.because}.</p>}
      </div>
    );
  }
  const data = result ? (result.data ?? '') : call.output;
  const why = result && reasonFor(result);
  const reason = why ? (
    <Part title="Reason">
      <p className="text-sm">{inPage(why)}</p>
    </Part>
  ) : null;
  return (
    <div className="flex flex-col gap-3 border-t border-tool-line px-3 py-2 pl-8">
      {reasonFirst && reason}
      {!(reasonFirst && data === '') && (result !== undefined || data !== '') && reasonFirst && (
        <Part title="What it printed">
          <ResultView data={data} label={`Result of ${call.name}`} />
        </Part>
      )}
      <Part title="Arguments">
        {call.malformed ? (
          <>
            <p className="mb-1 text-sm">{call.malformed.problem}</p>
            <pre className="mono mono-wrap">{readable(call.malformed.text)}</pre>
          </>
        ) : (
          <JsonView value={call.arguments} label={`Arguments of ${call.name}`} />
        )}
      </Part>
      {call.preview?.diff && (
        <Part title="Change">
          <DiffView diff={call.preview.diff} label={`Change by ${call.name}`} />
        </Part>
      )}
      {call.repairs.length > 0 && (
        <Part title="Repairs">
          <ul className="text-sm">
            {call.repairs.map(({ kind, detail }) => (
              <li key={`${kind} ${detail}`}>{detail}</li>
            ))}
          </ul>
        </Part>
      )}
      {!reasonFirst && reason}
      {!reasonFirst && (result !== undefined || data !== '') && (
        <Part title={result ? 'Result' : 'Output so far'}>
          <ResultView data={data} label={`Result of ${call.name}`} />
        </Part>
      )}
      {call.because && <p className="text-xs text-soft">Permission: {call.because}.</p>}
    </div>
  );
};

/** A call that the model is still writing: its arguments as they come. */
export const DraftCard = memo(({ draft }: { draft: DraftCall }) => (
  <article className="call" data-state="writing" aria-label={`Tool call ${visible(draft.name)}, being written`}>
    <div className={`items-baseline ${LINE}`}>
      <span className="call-mark w-3 shrink-0 text-center" aria-hidden="true">
        ●
      </span>
      <span className="min-w-0 max-w-[60%] shrink-0 truncate font-medium">{visible(draft.name) || 'tool call'}</span>
      <span className="mono min-w-0 flex-1 truncate text-soft">{readable(draft.text.slice(-200))}</span>
      <span className={`${FACTS} text-soft`}>being written</span>
    </div>
  </article>
));
