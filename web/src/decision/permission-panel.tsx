/** Whether a call may run: what would happen, in full, and for how long a yes holds. */
import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';
import type { PermissionDecision, Rule } from '../../../src/core/events.ts';
import { mixedScriptLines } from '../../../src/core/mixed-scripts.ts';
import { wholeRule } from '../../../src/core/policy/whole-rule.ts';
import { originLines } from '../../../src/core/provenance/origin.ts';
import { withContext } from '../../../src/core/short-diff.ts';
import { useApp, useSnapshot } from '../app-context.tsx';
import { toolTitle } from '../calls/call-facts.ts';
import { withoutNames } from '../calls/diff-lines.ts';
import { isInSight } from '../parts/in-sight.ts';
import { useLittleRoom } from '../parts/room.ts';
import { useWritten } from '../parts/use-written.ts';
import { visible } from '../parts/visible.ts';
import { askedCalls } from '../state/reduce.ts';
import type { CallView } from '../state/view.ts';
import { AskedArguments } from './asked-arguments.tsx';
import { AskedChange } from './asked-change.tsx';
import { foreignHost, sentenceOf } from './question.ts';
import { Asked, QuestionBody, QuestionFrame, QuestionTitle, useAsking } from './question-frame.tsx';
import { isLoud, riskNameOf, riskWordsOf } from './risk-words.ts';
import { RuleEditor } from './rule-editor.tsx';
import { READ_ON, type Reading, UnfoldingContext, useReading } from './use-reading.ts';

/** `key`: the one that answers so. */
type Choice = { decision: PermissionDecision; label: string; hint: string; key: number };
const CHOICES: readonly Choice[] = [
  { decision: 'allow_once', label: 'Allow once', hint: 'this call', key: 1 },
  { decision: 'session', label: 'Session', hint: 'until this session ends', key: 2 },
  { decision: 'remember', label: 'Remember', hint: 'in this folder, for later sessions too', key: 3 },
  { decision: 'deny', label: 'Deny', hint: 'the model is told', key: 4 },
];

const isLasting = (decision: PermissionDecision): boolean => decision === 'session' || decision === 'remember';

/** A yes that would hold for one call alone is offered once; its keys stay where they are. */
const choicesFor = (call: CallView): readonly Choice[] =>
  call.asksEachTime ? CHOICES.filter(({ decision }) => !isLasting(decision)) : CHOICES;

export const PermissionPanel = () => {
  const { view } = useSnapshot();
  const asked = askedCalls(view);
  const call = asked[0];
  return call ? <Question key={call.id} call={call} waiting={asked.length} /> : null;
};

/** Between the press that showed what a yes would keep and the one that keeps it: the second tap of two is no answer. */
const READ_MS = 500;

/** True for so long after it was begun. */
const useAWhile = (ms: number): [isSo: boolean, begin: () => void] => {
  const [isSo, setSo] = useState(false);
  useEffect(() => {
    if (!isSo) return;
    const timer = setTimeout(() => setSo(false), ms);
    return () => clearTimeout(timer);
  }, [isSo, ms]);
  const begin = useCallback(() => setSo(true), []);
  return [isSo, begin];
};

/**
 * What the person is about to decide, and how it is sent. `reading`: whether what a yes allows was read; `ruleEnd`: where
 * the words of what a lasting yes would keep end, and `showRule` brings them into sight.
 */
const useDecision = (
  call: CallView,
  reading: Reading,
  ruleEnd: RefObject<HTMLElement | null>,
  showRule: () => void,
) => {
  const { send } = useApp();
  const { mayAllow } = reading;
  const { value: pattern, set: setPattern } = useWritten(`pattern ${call.id}`, call.rule?.pattern ?? '');
  const { value: reason, set: setReason } = useWritten(`reason ${call.id}`, '');
  const [sent, setSent] = useState(false);
  // Nothing lasting is allowed before it was in sight, however large the window is.
  const [again, setAgain] = useState<string>();
  const [isReading, beginReading] = useAWhile(READ_MS);
  /** Where there is too little room for the buttons as well: the one that was brought into sight. */
  const readPattern = useRef<string>(undefined);
  useEffect(() => {
    if (again === undefined) return;
    ruleEnd.current?.parentElement?.scrollIntoView({ block: 'end' });
    if (isInSight(ruleEnd.current)) readPattern.current = pattern;
  }, [again, ruleEnd, pattern]);
  const decide = useCallback(
    async (decision: PermissionDecision): Promise<void> => {
      const keeps = isLasting(decision);
      if (decision !== 'deny' && !mayAllow()) {
        // What it would allow is to be read as well.
        if (keeps) showRule();
        return;
      }
      if (keeps) {
        if (isReading) return;
        if (readPattern.current !== pattern && !isInSight(ruleEnd.current)) {
          showRule();
          setAgain(CHOICES.find((choice) => choice.decision === decision)?.label);
          beginReading();
          return;
        }
      }
      setSent(true);
      const whole = wholeRule(call.rule ?? { tool: call.name }, call.suggestions);
      const rule: Rule = pattern === '' ? whole : { tool: whole.tool, pattern };
      const taken = await send({
        type: 'resolve_permission',
        tool_call_id: call.id,
        decision,
        ...(keeps && rule.pattern !== call.rule?.pattern ? { rule } : {}),
        ...(decision === 'deny' && reason.trim() !== '' ? { reason: reason.trim() } : {}),
      });
      if (!taken) setSent(false);
    },
    [call, pattern, reason, send, isReading, beginReading, mayAllow, ruleEnd, showRule],
  );
  const allowEdits = async (): Promise<void> => {
    if (!mayAllow()) return;
    if (await send({ type: 'change_mode', mode: 'edit' })) await decide('allow_once');
  };
  return { pattern, setPattern, reason, setReason, sent, again, setAgain, isReading, decide, allowEdits };
};
type Decision = ReturnType<typeof useDecision>;
type Asking = ReturnType<typeof useAsking>;

/** 1 to 4 while the question has the focus. */
const useChoiceKeys = (call: CallView, { armed, panel }: Asking, { sent, decide }: Decision): void => {
  useEffect(() => {
    if (!armed || sent) return;
    const onKey = (event: KeyboardEvent): void => {
      const choice = choicesFor(call).find(({ key }) => `${key}` === event.key);
      const isOurs =
        panel.current?.contains(document.activeElement) && !(document.activeElement instanceof HTMLInputElement);
      if (!choice || !isOurs || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      void decide(choice.decision);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [call, armed, sent, decide, panel]);
};

const Question = ({ call, waiting }: { call: CallView; waiting: number }) => {
  const [hasMore, setMore] = useState(false);
  const hasLittleRoom = useLittleRoom();
  const isFolded = hasLittleRoom && !hasMore;
  const ruleEnd = useRef<HTMLElement>(null);
  const showMore = useCallback(() => setMore(true), []);
  const reading = useReading();
  const decision = useDecision(call, reading, ruleEnd, showMore);
  const asking = useAsking(call.id);
  useChoiceKeys(call, asking, decision);
  const { again, setAgain } = decision;
  const toggleMore = (): void => {
    setMore(!hasMore);
    setAgain(undefined);
  };
  return (
    <QuestionFrame asking={asking} data-permission={call.id}>
      <QuestionBody>
        <UnfoldingContext value={reading}>
          <AskedCall
            call={call}
            waiting={waiting}
            asking={asking}
            area={reading.area}
            hasLittleRoom={hasLittleRoom && (!hasMore || again !== undefined)}
            isFolded={isFolded}
            isWhole={reading.isWhole && again === undefined}
          />
        </UnfoldingContext>
        <div className="flex shrink-0 flex-col gap-1.5 px-4 pt-1 max-sm:px-2">
          <div className="flex items-center gap-1">
            <RiskLine call={call} />
            {hasLittleRoom && (
              <button type="button" className="quiet-button shrink-0" aria-expanded={hasMore} onClick={toggleMore}>
                {hasMore ? 'Less' : 'More'}
              </button>
            )}
          </div>
          <LastingYes call={call} decision={decision} isFolded={isFolded} end={ruleEnd} />
          {reading.isDue && (
            <p role="status" className="text-xs text-warn">
              {READ_ON}
            </p>
          )}
        </div>
      </QuestionBody>
      <Choices
        call={call}
        decision={decision}
        armed={asking.armed}
        isFresh={reading.isFresh}
        isShort={isFolded || (hasLittleRoom && again !== undefined)}
        hasLittleRoom={hasLittleRoom}
      />
    </QuestionFrame>
  );
};

type LastingProps = {
  call: CallView;
  decision: Decision;
  isFolded: boolean;
  end: RefObject<HTMLElement | null>;
};

/** What Session and Remember would allow, where they are offered. */
const LastingYes = ({ call, decision, isFolded, end }: LastingProps) => {
  const [isOpen, setOpen] = useState(false);
  const { pattern, setPattern, again } = decision;
  if (call.asksEachTime)
    return <p className="text-xs text-soft">This is asked about each time: a yes holds for this call alone.</p>;
  if (isFolded) return null;
  return (
    <>
      {again !== undefined && (
        <p role="status" className="text-xs text-warn">
          Read it to its end, then press {again} once more to allow this:
        </p>
      )}
      <RuleEditor
        call={call}
        pattern={pattern}
        open={isOpen}
        isWhole={again !== undefined}
        end={end}
        onOpen={() => setOpen(!isOpen)}
        onChange={setPattern}
      />
    </>
  );
};

type AskedCallProps = {
  call: CallView;
  waiting: number;
  asking: Asking;
  area: Reading['area'];
  hasLittleRoom: boolean;
  isFolded: boolean;
  isWhole: boolean;
};

/** What would be done, with which arguments, and why it is asked. */
const AskedCall = ({ call, waiting, asking, area, hasLittleRoom, isFolded, isWhole }: AskedCallProps) => {
  const { tool, server } = toolTitle(call.name);
  const diff = call.preview?.diff;
  return (
    <Asked size={isWhole ? 'whole' : isFolded ? 'short' : 'usual'}>
      <QuestionTitle asking={asking} waiting={waiting}>
        {call.preview ? sentenceOf(call) : `Run ${server ? `${tool}, of the MCP server ${server}` : tool}?`}
      </QuestionTitle>
      <div ref={area}>
        {diff && <AskedChange diff={hasLittleRoom ? inLittleRoom(diff) : withoutNames(diff)} />}
        <AskedArguments call={call} isFolded={isFolded} />
      </div>
      {call.because && (
        <p className="text-xs text-soft [overflow-wrap:anywhere]">Why it is asked: {visible(call.because)}</p>
      )}
      {mixedScriptLines(call.arguments).map((line) => (
        <p key={line} className="text-xs text-warn [overflow-wrap:anywhere]">
          {visible(line)}
        </p>
      ))}
      {originLines(call.provenance ?? []).map((line) => (
        <p key={line} className="text-xs text-warn [overflow-wrap:anywhere]">
          Where from: {visible(line)}
        </p>
      ))}
    </Asked>
  );
};

const RiskLine = ({ call }: { call: CallView }) => {
  const { status } = useApp();
  const host = foreignHost(call.arguments);
  const risk = call.risk ?? 'high';
  return (
    <p className="min-w-0 flex-1 text-xs text-soft [overflow-wrap:anywhere]" data-risk={risk}>
      <strong className={isLoud(call) ? 'text-bad' : 'text-warn'}>{riskNameOf(call)}</strong> {riskWordsOf(call)}
      {host && ` · the host is ${host}`}
      {call.inSandbox && ` · sandbox: ${status?.sandbox ?? 'not known'}`}
    </p>
  );
};

type ChoicesProps = {
  call: CallView;
  decision: Decision;
  armed: boolean;
  isFresh: boolean;
  isShort: boolean;
  hasLittleRoom: boolean;
};

/** The buttons are the last thing of the question: whatever opens stands above them. */
const Choices = ({ call, decision: decided, armed, isFresh, isShort, hasLittleRoom }: ChoicesProps) => {
  const { sent, isReading, decide } = decided;
  const isOff = !armed || sent;
  const more = isShort ? null : <MoreChoices call={call} decision={decided} isOff={isOff} />;
  return (
    <div className="flex shrink-0 flex-col gap-1.5 px-4 pt-1.5 pb-2 max-sm:px-2">
      {hasLittleRoom && more && <div className="flex items-center gap-1.5">{more}</div>}
      <div className="flex flex-wrap items-center gap-1.5">
        {choicesFor(call).map(({ decision, label, hint, key }) => (
          <button
            type="button"
            key={decision}
            className={`${decision === 'allow_once' ? 'button-main' : 'button'} max-sm:flex-auto max-sm:px-1.5`}
            disabled={isOff}
            // It keeps the focus for the press that follows.
            aria-disabled={(isReading && isLasting(decision)) || (isFresh && decision !== 'deny') ? true : undefined}
            title={`${label}: ${hint}`}
            aria-keyshortcuts={`${key}`}
            onClick={() => void decide(decision)}
          >
            <kbd className="mono text-xs opacity-80 pointer-coarse:hidden">{key}</kbd> {label}
          </button>
        ))}
        {!hasLittleRoom && more}
      </div>
    </div>
  );
};

type MoreProps = { call: CallView; decision: Decision; isOff: boolean };

const MoreChoices = ({ call, decision, isOff }: MoreProps) => {
  const { reason, setReason, decide, allowEdits } = decision;
  const isEdit = call.preview?.diff !== undefined && toolTitle(call.name).server === undefined && !call.asksEachTime;
  return (
    <>
      {isEdit && (
        <button
          type="button"
          className="button shrink-0"
          disabled={isOff}
          title="This edit and all further ones in this folder pass: the mode edit"
          onClick={() => void allowEdits()}
        >
          All edits
        </button>
      )}
      <input
        className="field min-w-32 flex-1 basis-40"
        value={reason}
        aria-label="Why you deny it, for the model"
        placeholder="Why not, for the model"
        onChange={(event) => setReason(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && reason.trim() !== '' && !isOff) void decide('deny');
        }}
      />
    </>
  );
};

/** What changes comes first: nobody says yes to what is not in sight. */
const inLittleRoom = (diff: string): string => withContext(withoutNames(diff), 1);
