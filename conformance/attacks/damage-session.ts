/** Plays the cases in which the file of a session is damaged at its end, in its middle or at its beginning. */
import fs from 'node:fs';
import path from 'node:path';
import type { JsonObject } from '../../src/core/json.ts';
import { asList, hold, onlyKnown, Unmet } from './attack-case.ts';
import { answer } from './model-server.ts';
import type { Scene } from './scene.ts';
import { openStage, type Stage } from './stage.ts';

const WORD = /^session\.jsonl_(tail|middle_line|first_line)(_hex)?$/;
export const isSessionDamage = (given: JsonObject): boolean => Object.keys(given).some((word) => WORD.test(word));

const messagesIn = (stage: Stage): string[] =>
  stage.log().flatMap((event) => {
    if (event.type === 'user_message_added') return [String(event.content)];
    return event.type === 'assistant_message_added' ? [event.message.content] : [];
  });

const QUESTIONS = ['one', 'two', 'three', 'four'];

/** The lines as they are written, the damage in its place, and what came after it. */
const damaged = (before: Buffer, where: string, damage: Buffer): { bytes: Buffer; after: string } => {
  const text = before.toString('latin1');
  if (where === 'tail') return { bytes: Buffer.concat([before, damage]), after: '' };
  const lines = text.split('\n');
  const at = where === 'first_line' ? 0 : Math.floor(lines.length / 2);
  const after = Buffer.from(lines.slice(at + 1).join('\n'), 'latin1').toString();
  const changed = lines.with(at, damage.toString('latin1')).join('\n');
  return { bytes: Buffer.from(changed, 'latin1'), after };
};

export const withDamagedSession = async (scene: Scene): Promise<void> => {
  const { given, then, when } = scene.attack;
  onlyKnown('when', when, ['resume']);
  onlyKnown('then', then, [
    ...['messages_lost_max', 'backup', 'later_messages_kept', 'notice_lines', 'message_contains', 'starts'],
  ]);
  const [[word = '', value = ''] = []] = Object.entries(given).filter(([name]) => WORD.test(name));
  onlyKnown('given', given, [word]);
  const [, where = '', hex] = WORD.exec(word) ?? [];
  const damage = Buffer.from(String(value), hex === undefined ? 'utf8' : 'hex');

  const first = await openStage(scene, { script: (number) => answer([`answer ${number}`]) });
  for (const question of QUESTIONS) {
    await first.send(question);
    await first.idle();
  }
  await first.close();
  const [before, folder] = [messagesIn(first), first.halter.paths.sessions];
  const name = fs.readdirSync(folder).find((each) => each.startsWith(first.sessionId) && each.endsWith('.jsonl'));
  const file = path.join(folder, String(name));
  const { bytes, after } = damaged(fs.readFileSync(file), where, damage);
  fs.writeFileSync(file, bytes);

  const notices: string[] = [];
  const onWarning = (_code: string, message: string): void => void notices.push(message);
  // Where it does not open, the stage says so.
  const script = () => answer(['done']);
  const stage = await openStage(scene, { script, sessionId: first.sessionId, more: { onWarning } });
  const now = messagesIn(stage);
  const told = stage.told.flatMap((update) =>
    update.seq === undefined && update.type === 'warning' ? [update.message] : [],
  );
  const lost = before.length - now.length;
  if (then['messages_lost_max'] !== undefined)
    hold(lost <= Number(then['messages_lost_max']), `${lost} messages are lost`);
  if (then['later_messages_kept'] !== undefined) {
    const later = before.filter((message) => after.includes(JSON.stringify(message)));
    if (later.length === 0) throw new Unmet('nothing comes after the damage');
    const isKept = later.every((message) => now.includes(message));
    hold(isKept === then['later_messages_kept'], `of ${later.join(', ')} there are ${now.join(', ')}`);
  }
  const said = [...notices, ...told].filter((message) => message.includes(first.sessionId));
  if (then['notice_lines'] !== undefined)
    hold(
      said.join('\n').split('\n').filter(Boolean).length === then['notice_lines'],
      `the notices are: ${said.join('; ')}`,
    );
  for (const part of asList(then['message_contains']).map(String))
    hold(said.join('\n').includes(part), `${part} is not said: ${said.join('; ')}`);
  if (then['backup'] !== undefined) checkBackup(file, where === 'tail' ? damage : Buffer.alloc(0), then['backup']);
};

const checkBackup = (file: string, torn: Buffer, expected: unknown): void => {
  const [folder, own] = [path.dirname(file), path.basename(file)];
  const copies = fs
    .readdirSync(folder)
    .filter((name) => name.startsWith(own.replace('.jsonl', '')) && name !== own)
    .map((name) => path.join(folder, name));
  const isKept = copies.some((copy) => fs.statSync(copy).isFile() && fs.readFileSync(copy).includes(torn));
  hold(
    isKept === expected,
    `what was torn off is kept nowhere; beside the session are ${copies.map((copy) => path.basename(copy)).join(', ') || 'no files'}`,
  );
};
