/** Plays the cases in which halter finds files of its own damaged, or is ended in the middle of its work. */
import type { JsonObject } from '../../src/core/json.ts';
import { type AttackCase, Unmet } from './attack-case.ts';
import { withDamagedIndex } from './damage-index.ts';
import { isSessionDamage, withDamagedSession } from './damage-session.ts';
import { SETTINGS_WORDS, withSettings } from './damage-settings.ts';
import { withKilledShell, withKilledWrite } from './play-killed-program.ts';
import { withOddTool } from './play-odd-tools.ts';
import { withRemember } from './play-remember.ts';
import { isSignalled, withSignal } from './play-signalled.ts';
import { withHugeSession, withKills, withLockedStore } from './play-stores.ts';
import { type Scene, withScene } from './scene.ts';

type Play = (scene: Scene) => Promise<void>;

const LOCKED = 'locked by a second halter process';

const playFor = ({ given, then, when }: AttackCase): Play | undefined => {
  if (when['user'] !== undefined) return withRemember;
  if (when['tool'] !== undefined) return withOddTool;
  if (given['kills'] !== undefined) return withKills;
  if (given['kill_at'] !== undefined) return withKilledWrite;
  if (given['session.jsonl'] !== undefined) return withHugeSession;
  if (given['db'] !== undefined) return given['db'] === LOCKED ? withLockedStore : withDamagedIndex;
  if (isSessionDamage(given)) return withDamagedSession;
  if (then['children_left_after_ms'] !== undefined) return withKilledShell;
  if (when['signal'] !== undefined && isSignalled(given['op'])) return withSignal;
  return isOfSettings(given) ? withSettings : undefined;
};

const isOfSettings = (given: JsonObject): boolean => Object.keys(given).some((word) => SETTINGS_WORDS.includes(word));

export const playDamage = async (attack: AttackCase): Promise<void> => {
  const play = playFor(attack);
  if (play === undefined) throw new Unmet(`${Object.keys(attack.given).join(' and ')}: this cannot be played`);
  return withScene(attack, { also: Object.keys(attack.given) }, play);
};
