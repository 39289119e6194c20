/** Two answers to the same message beside each other; one of them is gone on with. */
import { useState } from 'react';
import type { BranchPoint } from '../../../src/core/session-tree.ts';
import { useApp, useSnapshot } from '../app-context.tsx';
import { Markdown } from '../markdown/late-markdown.tsx';
import { counted, duration, tokens } from '../parts/format.ts';
import { PanelDialog } from '../parts/panel-dialog.tsx';
import { visible } from '../parts/visible.ts';
import { bareModel } from '../state/model-name.ts';
import { answersAt, type ComparedAnswer } from './answers.ts';

export const CompareDialog = ({ point, onClose }: { point: BranchPoint; onClose(): void }) => {
  const { send } = useApp();
  const { view } = useSnapshot();
  const answers = answersAt(view.log, point);
  const current = Math.max(
    0,
    answers.findIndex(({ isCurrent }) => isCurrent),
  );
  const [shown, setShown] = useState([current === 0 ? 1 : current - 1, current].sort((a, b) => a - b));
  const take = async ({ headSeq, isCurrent }: ComparedAnswer): Promise<void> => {
    if (isCurrent || (await send({ type: 'branch', at_seq: headSeq }))) onClose();
  };
  return (
    <PanelDialog title="Compare answers" onClose={onClose} isWide>
      <div className="grid gap-px bg-line md:grid-cols-2">
        {shown.map((index, side) => {
          const answer = answers[index];
          return (
            answer && (
              <article
                // biome-ignore lint/suspicious/noArrayIndexKey: the left one and the right one.
                key={side}
                aria-label={side === 0 ? 'Left answer' : 'Right answer'}
                className="flex min-w-0 flex-col gap-2 bg-raised px-4 py-3"
              >
                <div className="flex flex-wrap items-center gap-2 text-xs text-soft">
                  <select
                    className="field w-auto max-w-full"
                    aria-label={side === 0 ? 'On the left' : 'On the right'}
                    value={index}
                    onChange={(event) => {
                      const next = Number(event.target.value);
                      setShown((before) => before.map((each, at) => (at === side ? next : each)));
                    }}
                  >
                    {answers.map(({ model, isEdited }, at) => (
                      // biome-ignore lint/suspicious/noArrayIndexKey: answers only ever come at the end.
                      <option key={at} value={at}>
                        {at + 1}: {isEdited ? 'in your words' : visible(bareModel(model))}
                      </option>
                    ))}
                  </select>
                  <span className="tabular-nums">
                    {answer.tokens > 0 && `${tokens(answer.tokens)} tokens · ${duration(answer.seconds * 1_000)}`}
                    {answer.calls > 0 && ` · ${counted(answer.calls, 'call')}`}
                  </span>
                  <button type="button" className="button ml-auto" onClick={() => void take(answer)}>
                    {answer.isCurrent ? 'Stay with this' : 'Go on with this'}
                  </button>
                </div>
                <Markdown text={answer.text} live={false} />
              </article>
            )
          );
        })}
      </div>
    </PanelDialog>
  );
};
