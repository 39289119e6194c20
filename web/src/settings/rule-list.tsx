/** The rules of permission: which hold in this folder, where each comes from; remembered ones can be changed. */
import { useCallback, useEffect, useState } from 'react';
import { useApp } from '../app-context.tsx';
import { ago } from '../parts/format.ts';
import { isWritten, useWritten } from '../parts/use-written.ts';
import { visible } from '../parts/visible.ts';
import type { Answer, RuleRow, Rules } from '../state/api.ts';

type Act = (work: Promise<Answer<Rules>>) => Promise<boolean>;

export const RuleList = () => {
  const { api } = useApp();
  const [rules, setRules] = useState<Rules>();
  const [problem, setProblem] = useState<string>();
  const act: Act = useCallback(async (work) => {
    const answer = await work;
    setProblem(answer.ok ? undefined : answer.message);
    if (answer.ok) setRules(answer.value);
    return answer.ok;
  }, []);
  useEffect(() => void act(api.rules()), [api, act]);
  return (
    <div className="flex flex-col gap-3">
      <p className="text-sm text-soft">
        A call that a rule allows runs without a question; one that a rule denies never runs. Denials come first.
        {rules && (
          <>
            {' '}
            They hold in <span className="mono text-xs [overflow-wrap:anywhere]">{rules.workspace}</span> and are kept
            in <span className="mono text-xs [overflow-wrap:anywhere]">{rules.path}</span>.
          </>
        )}
      </p>
      {problem !== undefined && (
        <p role="alert" className="text-sm text-bad [overflow-wrap:anywhere]">
          {visible(problem)}
        </p>
      )}
      {rules?.rules.length === 0 && (
        <p className="text-sm">There are no rules yet. “Remember” in a question makes one.</p>
      )}
      <ul aria-label="Rules" className="divide-y divide-line">
        {rules?.rules.map((rule) => (
          <Entry key={`${rule.source} ${rule.decision} ${rule.rule}`} rule={rule} act={act} />
        ))}
      </ul>
      <RuleForm label="Add" onSave={(decision, text) => act(api.addRule(decision, text))} />
    </div>
  );
};

const sourceWords = ({ source, created_at: at }: RuleRow): string => {
  if (source !== 'remembered') return source === 'program' ? 'set by the program' : 'from the command line';
  if (at === undefined) return 'remembered';
  const since = ago(at, Date.now());
  if (since === 'now') return 'remembered just now';
  return / (?:min|h|d)$/.test(since) ? `remembered ${since} ago` : `remembered on ${since}`;
};

type WrittenRule = { decision: RuleRow['decision']; text: string };
const writtenName = (rule: RuleRow | undefined): string => `rule ${rule?.rule ?? ''}`;

const Entry = ({ rule, act }: { rule: RuleRow; act: Act }) => {
  const { api } = useApp();
  const [editing, setEditing] = useState(() => isWritten(writtenName(rule)));
  if (editing) {
    return (
      <li className="py-2">
        <RuleForm
          label="Save"
          rule={rule}
          onCancel={() => setEditing(false)}
          onSave={async (decision, text) => {
            const done = await act(api.addRule(decision, text, rule.rule));
            if (done) setEditing(false);
            return done;
          }}
        />
      </li>
    );
  }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2 text-sm" data-rule={rule.rule}>
      <span className={rule.decision === 'deny' ? 'w-16 shrink-0 text-bad' : 'w-16 shrink-0 text-good'}>
        {rule.decision === 'deny' ? '✕ deny' : '✓ allow'}
      </span>
      <span className="min-w-0 flex-1 basis-40">
        <span className="mono block [overflow-wrap:anywhere]">{visible(rule.rule)}</span>
        <span className="text-xs text-soft">{sourceWords(rule)}</span>
      </span>
      {rule.source === 'remembered' && (
        <span className="flex gap-1">
          <button type="button" className="button" aria-label={`Edit ${rule.rule}`} onClick={() => setEditing(true)}>
            Edit
          </button>
          <button
            type="button"
            className="button"
            aria-label={`Remove ${rule.rule}`}
            onClick={() => void act(api.removeRule(rule.rule))}
          >
            Remove
          </button>
        </span>
      )}
    </li>
  );
};

type FormProps = {
  label: string;
  rule?: RuleRow;
  onSave(decision: RuleRow['decision'], text: string): Promise<boolean>;
  onCancel?(): void;
};

const RuleForm = ({ label, rule, onSave, onCancel }: FormProps) => {
  const written = useWritten<WrittenRule>(writtenName(rule), {
    decision: rule?.decision ?? 'allow',
    text: rule?.rule ?? '',
  });
  const { decision, text } = written.value;
  return (
    <form
      className="flex flex-wrap gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        void onSave(decision, text).then((done) => done && written.forget());
      }}
    >
      <select
        className="field w-24 shrink-0"
        aria-label={rule ? `Decision of ${rule.rule}` : 'Decision of the new rule'}
        value={decision}
        onChange={(event) => written.set({ decision: event.target.value === 'deny' ? 'deny' : 'allow', text })}
      >
        <option value="allow">allow</option>
        <option value="deny">deny</option>
      </select>
      <input
        className="field mono min-w-0 flex-1 basis-48"
        aria-label={rule ? `Text of ${rule.rule}` : 'New rule'}
        placeholder="bash(git log *)"
        autoCapitalize="off"
        spellCheck={false}
        value={text}
        onChange={(event) => written.set({ decision, text: event.target.value })}
      />
      <button type="submit" className="button" disabled={text.trim() === ''}>
        {label}
      </button>
      {onCancel && (
        <button
          type="button"
          className="button"
          onClick={() => {
            written.forget();
            onCancel();
          }}
        >
          Cancel
        </button>
      )}
    </form>
  );
};
