/** Whether a call may run: what would happen, in full, and for how long a yes holds. */
import { useCallback, useEffect, useId, useState } from 'react';
import type { PermissionDecision, Rule } from '../../../src/core/events.ts';
import { useApp, useSnapshot } from '../app-context.tsx';
import { toolTitle } from '../calls/call-facts.ts';
import { DiffView } from '../calls/diff-view.tsx';
import { visible } from '../parts/visible.ts';
import { askedCalls } from '../state/reduce.ts';
import type { CallView } from '../state/view.ts';
import { foreignHost, RISK_WORDS, sentenceOf, shownArguments } from './question.ts';
import { Asked, QuestionFrame, QuestionTitle, useAsking } from './question-frame.tsx';

const CHOICES: readonly { decision: PermissionDecision; label: string; hint: string }[] = [
  { decision: 'allow_once', label: 'Allow once', hint: 'this call' },
  { decision: 'session', label: 'Session', hint: 'until this session ends' },
  { decision: 'remember', label: 'Remember', hint: 'in this folder, for later sessions too' },
  { decision: 'deny', label: 'Deny', hint: 'the model is told' },
];

export const PermissionPanel = () => {
  const { view } = useSnapshot();
  const asked = askedCalls(view);
  const call = asked[0];
  return call ? <Question key={call.id} call={call} waiting={asked.length} /> : null;
};

const Question = ({ call, waiting }: { call: CallView; waiting: number }) => {
  const { send, status } = useApp();
  const [pattern, setPattern] = useState(call.rule?.pattern ?? '');
  const [reason, setReason] = useState('');
  const [sent, setSent] = useState(false);
  const asking = useAsking(call.id);
  const { panel, armed } = asking;

  const decide = useCallback(
    async (decision: PermissionDecision): Promise<void> => {
      setSent(true);
      const rule: Rule = { tool: call.rule?.tool ?? call.name, ...(pattern === '' ? {} : { pattern }) };
      const keeps = decision === 'session' || decision === 'remember';
      const taken = await send({
        type: 'resolve_permission',
        tool_call_id: call.id,
        decision,
        ...(keeps && pattern !== (call.rule?.pattern ?? '') ? { rule } : {}),
        ...(decision === 'deny' && reason.trim() !== '' ? { reason: reason.trim() } : {}),
      });
      if (!taken) setSent(false);
    },
    [call, pattern, reason, send],
  );
  useEffect(() => {
    if (!armed || sent) return;
    const onKey = (event: KeyboardEvent): void => {
      const choice = CHOICES[Number(event.key) - 1];
      const isOurs =
        panel.current?.contains(document.activeElement) && !(document.activeElement instanceof HTMLInputElement);
      if (!choice || !isOurs || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      void decide(choice.decision);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [armed, sent, decide, panel]);

  const { tool, server } = toolTitle(call.name);
  const host = foreignHost(call.arguments);
  const risk = call.risk ?? 'high';
  return (
    <QuestionFrame asking={asking} data-permission={call.id}>
      <Asked>
        <QuestionTitle asking={asking} waiting={waiting}>
          {sentenceOf(call)}
        </QuestionTitle>
        <p className="text-sm">
          <strong className={risk === 'high' ? 'text-bad' : 'text-warn'}>{risk.toUpperCase()}</strong>{' '}
          <span className="text-soft">
            {RISK_WORDS[risk]} · sandbox: {status?.sandbox ?? 'not known'}
          </span>
        </p>
        {call.preview?.diff && (
          <div className="mt-2">
            <DiffView diff={call.preview.diff} label="The change" whole />
          </div>
        )}
        <dl className="mt-2 grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm">
          <Fact name="Tool">{server ? `${tool}, of the MCP server ${server}` : tool}</Fact>
          {shownArguments(call).map(({ name, text }) => (
            <Fact key={name} name={name}>
              <span className="mono mono-wrap block">{text}</span>
            </Fact>
          ))}
          {host && <Fact name="Host">{host}</Fact>}
          {call.because && <Fact name="Asked because">{visible(call.because)}</Fact>}
        </dl>
      </Asked>
      <div className="flex shrink-0 flex-col gap-2 px-4 pb-3 pt-2">
        {call.asksEachTime ? (
          <p className="text-sm text-soft">This is asked about each time: every yes holds for this call alone.</p>
        ) : (
          <PatternField call={call} pattern={pattern} onChange={setPattern} />
        )}
        <div className="flex flex-wrap items-center gap-2">
          {CHOICES.map(({ decision, label, hint }, index) => (
            <button
              type="button"
              key={decision}
              className={decision === 'allow_once' ? 'button-main' : 'button'}
              disabled={!armed || sent}
              title={`${label}: ${hint}`}
              aria-keyshortcuts={`${index + 1}`}
              onClick={() => void decide(decision)}
            >
              <kbd className="mono text-xs opacity-80">{index + 1}</kbd> {label}
            </button>
          ))}
          <input
            className="field min-w-32 flex-1 basis-40"
            value={reason}
            aria-label="Why you deny it, for the model"
            placeholder="Why not, for the model"
            onChange={(event) => setReason(event.target.value)}
            onKeyDown={(event) => {
              if (event.key === 'Enter' && reason.trim() !== '' && armed && !sent) void decide('deny');
            }}
          />
        </div>
      </div>
    </QuestionFrame>
  );
};

type PatternProps = { call: CallView; pattern: string; onChange(pattern: string): void };

/** The rule that Session and Remember would make, to be changed before it is made. */
const PatternField = ({ call, pattern, onChange }: PatternProps) => {
  const list = useId();
  const others = (call.suggestions ?? []).flatMap((rule) => rule.pattern ?? []);
  return (
    <label className="flex min-w-0 flex-wrap items-center gap-1 text-sm">
      <span className="shrink-0 text-soft">Session and Remember allow</span>
      <span className="flex min-w-0 flex-1 basis-60 items-center gap-1">
        <span className="mono">{call.rule?.tool ?? call.name}(</span>
        <input
          className="field mono min-w-12 flex-1"
          value={pattern}
          list={others.length > 0 ? list : undefined}
          aria-label="Pattern of what Session and Remember allow; empty: the whole tool"
          placeholder="everything"
          spellCheck={false}
          onChange={(event) => onChange(event.target.value)}
        />
        {others.length > 0 && (
          <datalist id={list}>
            {others.map((other) => (
              <option key={other} value={other} />
            ))}
          </datalist>
        )}
        <span className="mono">)</span>
      </span>
    </label>
  );
};

const Fact = ({ name, children }: { name: string; children: React.ReactNode }) => (
  <>
    <dt className="text-soft">{name}</dt>
    <dd className="min-w-0 [overflow-wrap:anywhere]">{children}</dd>
  </>
);
