/**
 * Plays the cases about shell lines and the rules for them. What is decided is what the runner decides; a line that it
 * would run is then really run, in the sandbox, to see whether it leaves the mark.
 */
import fs from 'node:fs';
import path from 'node:path';
import type { Agent } from '../../src/agent/create-agent.ts';
import type { JsonObject } from '../../src/core/json.ts';
import { type AttackCase, asList, asObject, CannotRun, onlyKnown, Unmet } from './attack-case.ts';
import { accepts, type Decision, rulesOf, toolNamed } from './names.ts';
import { type Scene, withScene } from './scene.ts';
import { CANARY, fillShellFolder } from './shell-folder.ts';

const MODES = ['headless', 'interactive'];

/** With nobody there a question is a no. */
const decide = async (halter: Agent, tool: string, args: JsonObject, isHeadless: boolean): Promise<Decision> => {
  let decision: Decision = { word: 'deny' };
  const result = await halter.executeTool(tool, args, {
    // Given up before it begins: decided, and not run.
    signal: AbortSignal.abort(),
    ...(isHeadless
      ? {}
      : {
          ask: async ({ risk }) => {
            decision = { word: 'prompt', risk };
            return { decision: 'deny' };
          },
        }),
  });
  return decision.word !== 'prompt' && result.metadata.reason === 'cancelled' ? { word: 'allow' } : decision;
};

const leavesNoMark = async (scene: Scene, halter: Agent, tool: string, args: JsonObject): Promise<void> => {
  if (!halter.confinement.confined)
    throw new CannotRun('bubblewrap does not work here (apt-get install bubblewrap), so the line is not run');
  await halter.executeTool(tool, args, {});
  if (fs.existsSync(path.join(scene.root, CANARY))) throw new Unmet(`it was allowed and left ${CANARY}`);
};

export const playShell = (attack: AttackCase): Promise<void> =>
  withScene(attack, { also: ['rules', 'mode'], prepare: fillShellFolder }, async (scene) => {
    const { given, then, when } = scene.attack;
    onlyKnown('when', when, ['tool', 'args']);
    onlyKnown('then', then, ['decision', 'decision_in', 'canary_absent']);
    const mode = given['mode'] ?? 'interactive';
    if (!MODES.includes(String(mode))) throw new Unmet(`the mode ${JSON.stringify(mode)} is not known`);
    const { name } = toolNamed(when['tool']);
    const args = asObject(when['args']);
    const halter = await scene.open({ ...rulesOf(given['rules']), sandbox: true });
    const decision = await decide(halter, name, args, mode === 'headless');
    const expected = asList(then['decision_in'] ?? then['decision']);
    if (expected.length > 0 && !expected.some((word) => accepts(word, decision)))
      throw new Unmet(`the decision is ${decision.word}, not ${expected.join(' or ')}`);
    if (decision.word === 'allow' && then['canary_absent'] === true) await leavesNoMark(scene, halter, name, args);
  });
