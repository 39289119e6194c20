/** halter's modes as an editor shows them: how often a person is asked. */

import { RequestError, type SessionModeState } from '@agentclientprotocol/sdk';
import { capital } from '../core/capital.ts';
import type { SessionFace } from '../core/events.ts';
import { isMode, MODE_WORDS, MODES } from '../core/policy/modes.ts';
import { followMode } from '../core/policy/overrides.ts';
import type { LiveSession } from './session-book.ts';

/**
 * `live` is undefined for a session that opens with its first prompt. Editors go through the modes by a key, so `yolo` is
 * offered only where halter was started in it.
 */
export const modeState = (live: Pick<LiveSession, 'face' | 'halter'> | undefined): SessionModeState => {
  const begun = live?.halter.rules().mode ?? 'ask';
  return {
    currentModeId: followMode()(live?.face.log() ?? []) ?? begun,
    availableModes: MODES.filter((id) => id !== 'yolo' || begun === 'yolo').map((id) => ({
      id,
      name: capital(id),
      description: MODE_WORDS[id],
    })),
  };
};

/** Another name than that of a mode is refused. */
export const setMode = async (face: SessionFace, modeId: string): Promise<void> => {
  if (!isMode(modeId)) throw RequestError.invalidParams(undefined, `the modes are ${MODES.join(', ')}`);
  const sent = await face.send({ type: 'change_mode', mode: modeId });
  if (!sent.ok) throw RequestError.internalError(undefined, sent.message);
};
