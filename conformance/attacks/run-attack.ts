/** From a case to how it ended. Groups that nobody knows fail and say so. */

import { thrownText } from '../../src/core/thrown-text.ts';
import { type AttackCase, CannotRun, Unmet } from './attack-case.ts';
import { playArguments } from './play-arguments.ts';
import { playCall } from './play-call.ts';
import { playConversation } from './play-conversation.ts';
import { playDamage } from './play-damage.ts';
import { playHttp } from './play-http.ts';
import { isAboutLoad, playLoad } from './play-load.ts';
import { playMcp } from './play-mcp.ts';
import { playPage } from './play-page.ts';
import { playPrompt } from './play-prompt.ts';
import { playProtection } from './play-protection.ts';
import { playProvider } from './play-provider.ts';
import { playShell } from './play-shell.ts';
import { playTerminal } from './play-terminal.ts';
import { isAboutTheWeb, playWeb } from './play-web.ts';

export type Ending = { state: 'passed' } | { state: 'failed' | 'skipped'; reason: string };

const playResource = (attack: AttackCase): Promise<void> => {
  if (isAboutLoad(attack)) return playLoad(attack);
  return isAboutTheWeb(attack) ? playWeb(attack) : playCall(attack);
};

const GROUPS: Readonly<Record<string, (attack: AttackCase) => Promise<void>>> = {
  'arg-validation': playArguments,
  'path-confinement': playCall,
  'file-faults': playCall,
  'shell-policy': playShell,
  resource: playResource,
  ssrf: playWeb,
  'tool-output': (attack) => (attack.when['format'] === undefined ? playCall(attack) : playConversation(attack)),
  'terminal-escape': playTerminal,
  'prompt-spoof': playPrompt,
  'provider-faults': playProvider,
  'self-protection': playProtection,
  'crash-faults': playDamage,
  'http-server': playHttp,
  'web-render': playPage,
  mcp: playMcp,
};

export const runAttack = async (attack: AttackCase): Promise<Ending> => {
  const play = Object.hasOwn(GROUPS, attack.group) ? GROUPS[attack.group] : undefined;
  if (play === undefined) {
    return { state: 'failed', reason: `the group ${JSON.stringify(attack.group)} is not known` };
  }
  try {
    await play(attack);
    return { state: 'passed' };
  } catch (error) {
    if (error instanceof CannotRun) return { state: 'skipped', reason: error.message };
    if (error instanceof Unmet) return { state: 'failed', reason: error.message };
    return { state: 'failed', reason: `it threw: ${thrownText(error)}` };
  }
};
