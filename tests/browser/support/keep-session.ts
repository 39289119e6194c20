import type { EventBody } from '../../../src/core/events.ts';
import { SessionFiles } from '../../../src/storage/session-files.ts';

/** A session of so many messages as halter would have kept it: `Question 0`, an answer, `Question 1` … */
export const keepSession = async (
  folder: string,
  id: string,
  messages: number,
  answer: string,
  workspace = folder,
): Promise<void> => {
  const opened = await new SessionFiles({ folder }).open(id);
  if (!opened.ok) throw new Error(opened.error.message);
  const bodies: EventBody[] = [
    { type: 'session_started', version: 1, session_id: id, workspace, model: 'openai/test-model' },
  ];
  for (let index = 0; index < messages / 2; index += 1) {
    bodies.push(
      { type: 'user_message_added', content: `Question ${index}` },
      {
        type: 'assistant_message_added',
        message: { role: 'assistant', content: answer, tool_calls: [], finish: 'stop' },
      },
      { type: 'run_completed', sources: [] },
    );
  }
  for (const [index, body] of bodies.entries()) {
    const kept = await opened.value.log.append({ seq: index + 1, at: index, ...body });
    if (!kept.ok) throw new Error(kept.error.message);
  }
  await opened.value.log.close();
};

/** One in which nothing was said. */
export const putSession = (folder: string, id: string, workspace: string): Promise<void> =>
  keepSession(folder, id, 0, '', workspace);
