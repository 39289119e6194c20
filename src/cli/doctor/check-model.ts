/** What is known of the model that would be taken: window, template, what probing it found, and how fast it is here. */

import { noToolsBecause } from '../../agent/loop/call-model/tool-notation.ts';
import { mayBeLed } from '../../agent/models/tool-way.ts';
import { windowHeld } from '../../core/learned-window.ts';
import type { ModelInfo } from '../../core/model-port.ts';
import { keyOf, type ModelProfile, type ModelSpeed, windowWith } from '../../core/model-profile.ts';
import { counted } from '../../core/number-text.ts';
import { detectDialect } from '../../dialects/index.ts';
import { isSmallModel } from '../../providers/led/facts.ts';
import { createModelProfiles } from '../../storage/model-profiles.ts';
import { openModelSpeeds } from '../../storage/model-speeds.ts';
import type { HalterPaths } from '../../storage/paths.ts';
import type { Check } from './check.ts';

export const checkModel = async (
  paths: HalterPaths,
  server: { name: string; endpoint: string },
  info: ModelInfo,
): Promise<Check> => {
  const key = keyOf(server, info);
  const { profile, stale, problems = [] } = await createModelProfiles(paths).find(key);
  const speeds = await openModelSpeeds(paths.cache, key, profile ? { [info.id]: profile.speed } : {});
  const window = windowWith(windowHeld({ told: info.context_length }, speeds.of(info.id).window), profile);
  const name = `${server.name}/${info.id}`;
  // The engine in this process tells them once it has loaded the file, which takes too long to look.
  const isEmbedded = server.name === 'embedded';
  const detail = [
    ...(window === undefined ? (isEmbedded ? [] : ['window unknown']) : [`window of ${window} tokens`]),
    ...(isEmbedded ? [] : [templateText(info)]),
    ...withoutTools(info),
    ...(profile ? [profileText(profile)] : []),
    ...speedText(speeds.of(info.id)),
  ].join(', ');
  const base = { name: 'model', detail: [name, ...(detail === '' ? [] : [detail])].join(': ') };
  if (profile?.tool_calls === 'none') {
    const advice = mayBeLed(profile)
      ? 'it made no call when it was probed, so it is led in steps: another model does more'
      : 'it made no call when it was probed: take another model for tools';
    return { ...base, state: 'warning', advice };
  }
  if (stale)
    return { ...base, state: 'warning', advice: `it changed since it was probed: halter models probe ${name}` };
  if (problems.length > 0) return { ...base, state: 'warning', advice: problems.join('; ') };
  if (profile === undefined)
    return { ...base, state: 'ok', advice: `to find out what works with it: halter models probe ${name}` };
  return { ...base, state: 'ok' };
};

const withoutTools = (info: ModelInfo): string[] => {
  if (noToolsBecause(info) === undefined) return [];
  return [`takes no tools of its own accord${isSmallModel(info) ? ', so it is led in steps' : ''}`];
};

const templateText = (info: ModelInfo): string => {
  const dialect = detectDialect({ model: info.id, ...(info.chat_template ? { template: info.chat_template } : {}) });
  const template = info.chat_template === undefined ? 'template not told' : 'template of its own';
  return dialect === undefined ? template : `${template} (calls as in ${dialect})`;
};

const profileText = (profile: ModelProfile): string => {
  const asked = profile.checks.filter(({ outcome }) => outcome !== 'skipped');
  const passed = asked.filter(({ outcome }) => outcome === 'passed').length;
  const day = new Date(profile.probed_at).toISOString().slice(0, 10);
  return `probed on ${day}: ${passed} of ${counted(asked.length, 'check')} passed, tools ${profile.tool_calls}`;
};

const speedText = (speed: ModelSpeed): string[] => {
  const { prefill_tokens_per_second: reads, decode_tokens_per_second: writes } = speed;
  return [
    ...(reads === undefined ? [] : [`reads ${Math.round(reads)} tokens/s`]),
    ...(writes === undefined ? [] : [`writes ${Math.round(writes)} tokens/s`]),
  ];
};
