/** halter's modes as an editor shows them: how often a person is asked. */
import { RequestError, type SessionModeState } from '@agentclientprotocol/sdk';
import type { SessionFace } from '../core/events.ts';
import { isMode, MODE_WORDS, MODES } from '../core/policy/modes.ts';
import { followMode } from '../core/policy/overrides.ts';

/** `face` is undefined for a session that opens with its first prompt. */
export const modeState = (face: SessionFace | undefined): SessionModeState => ({
  currentModeId: followMode()(face?.log() ?? []) ?? 'ask',
  availableModes: MODES.map((id) => ({
    id,
    name: id.charAt(0).toUpperCase() + id.slice(1),
    description: MODE_WORDS[id],
  })),
});

/** Another name than that of a mode is refused. */
export const setMode = async (face: SessionFace, modeId: string): Promise<void> => {
  if (!isMode(modeId)) throw RequestError.invalidParams(undefined, `the modes are ${MODES.join(', ')}`);
  const sent = await face.send({ type: 'change_mode', mode: modeId });
  if (!sent.ok) throw RequestError.internalError(undefined, sent.message);
};
