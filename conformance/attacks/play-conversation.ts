/** Plays the cases about a text that a tool brings and that looks like a call: only what the model writes is one. */
import fs from 'node:fs';
import path from 'node:path';
import { type AttackCase, hold, onlyKnown, Unmet } from './attack-case.ts';
import { answer } from './model-server.ts';
import { modelOf } from './names.ts';
import { UNNAMED_FILE, withScene } from './scene.ts';
import { specialTokensFrom } from './special-tokens.ts';
import { openStage } from './stage.ts';

export const playConversation = (attack: AttackCase): Promise<void> =>
  withScene(attack, { also: ['tool_result_text'] }, async (scene) => {
    const { given, then, when } = scene.attack;
    onlyKnown('when', when, ['format']);
    onlyKnown('then', then, ['calls_parsed_from_tool_output', 'special_tokens_from_data']);
    if (then['special_tokens_from_data'] !== undefined) {
      const tokens = await specialTokensFrom(String(given['tool_result_text']));
      hold(tokens === then['special_tokens_from_data'], `${tokens} special tokens come out of the text`);
    }
    if (then['calls_parsed_from_tool_output'] === undefined) return;
    fs.writeFileSync(path.join(scene.root, UNNAMED_FILE), String(given['tool_result_text']));
    const args = JSON.stringify({ path: UNNAMED_FILE });
    const stage = await openStage(scene, {
      model: modelOf(when['format']),
      allow: ['*'],
      script: (number) => (number === 0 ? answer([], [{ name: 'read_file', arguments: args }]) : answer(['done'])),
    });
    await stage.send('go');
    await stage.idle();
    const calls = stage
      .log()
      .flatMap((event) => (event.type === 'assistant_message_added' ? event.message.tool_calls : []));
    const results = stage.log().flatMap((event) => (event.type === 'tool_finished' ? [event.result] : []));
    if (!results[0]?.success) throw new Unmet('the tool did not bring the text');
    // One call is the model's own.
    const parsed = calls.length - 1;
    if (parsed !== then['calls_parsed_from_tool_output']) throw new Unmet(`${parsed} calls were read from the output`);
  });
