/** Events that are told in a line: what went wrong, what was changed, what a person or a server did. */
import { mayPass } from '../../agent/session/waiting-session.ts';
import { undoneSentence } from '../../core/changes.ts';
import { ErrorCode } from '../../core/errors.ts';
import type { Event } from '../../core/events.ts';
import { modelChangedText } from '../../core/model-roles.ts';
import { endedJobText } from '../../core/session-jobs.ts';
import { shownSources } from '../../core/summarize.ts';
import { statusOf } from '../../core/tool/display-status.ts';
import { compactionSentence } from '../../core/window/compaction-text.ts';
import { type Item, noticeItem, sourcesItem } from './items.ts';

/** Undefined for what a reader sees elsewhere, or need not know. */
export const noticeOf = (event: Event, serverOfQuestion: (questionId: string) => string): Item | undefined => {
  switch (event.type) {
    case 'model_failed':
      // That the person stopped it stands above.
      if (event.code === 'cancelled') return undefined;
      return noticeItem(
        'error',
        event.message,
        [event.hint, mayPass(event) && '/regenerate asks again.'].filter(Boolean).join(' '),
      );
    case 'run_stopped':
      return noticeItem(
        event.reason === 'limit' || event.reason === 'loop' ? 'warning' : 'error',
        event.code === ErrorCode.ToolLoopLimitReached ? `${event.message} ${MORE_ITERATIONS}` : event.message,
      );
    case 'run_cancelled':
      return noticeItem('quiet', 'Stopped.');
    case 'run_completed': {
      const sources = shownSources(event.sources);
      return sources.length > 0 ? sourcesItem(sources) : undefined;
    }
    case 'server_answered': {
      const said = { accept: 'got your answer', decline: 'was declined', cancel: 'got no answer' }[event.action];
      return noticeItem('quiet', `The MCP server ${serverOfQuestion(event.question_id)} ${said}.`);
    }
    case 'change_undone':
      return noticeItem('quiet', undoneSentence(event));
    case 'branch_selected':
      return noticeItem('quiet', 'The conversation goes on from an earlier point; what came after it is kept aside.');
    case 'session_renamed':
      return noticeItem(
        'quiet',
        event.title === '' ? 'The session has no name now.' : `The session is now called ${event.title}.`,
      );
    case 'context_compacted':
      return noticeItem('quiet', compactionSentence(event));
    case 'job_changed': {
      const text = endedJobText(event);
      return text === undefined ? undefined : noticeItem('quiet', text);
    }
    case 'tool_called':
      return noticeItem('quiet', `${event.name} was called from outside the conversation: ${statusOf(event.result)}.`);
    case 'model_changed':
      return noticeItem('quiet', modelChangedText(event));
    default:
      return undefined;
  }
};

const MORE_ITERATIONS = 'halter with --max-iterations N allows more.';
