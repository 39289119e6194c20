/**
 * How a model is had to call tools in a session: the person says it, or a preset, else what was found of the model, else
 * what its template and its size tell. Tools are never left out without a word.
 */
import type { ModelProfile } from '../../core/model-profile.ts';
import type { Preset } from '../../core/presets.ts';
import type { ToolStrategy } from '../../core/tool-strategy.ts';
import type { Dialect } from '../../dialects/index.ts';
import { systemClock } from '../../io/clock.ts';
import { endMarkersOf } from '../../providers/led/end-markers.ts';
import { canLead, isSmallModel, shownName } from '../../providers/led/facts.ts';
import { ledProvider } from '../../providers/led/provider.ts';
import type { ConversationModel } from '../loop/call-model/conversation-model.ts';
import { familyOf, injectedNotice, noToolsBecause, type ToolNotice } from '../loop/call-model/tool-notation.ts';
import type { ChosenModel } from './choose-model.ts';

export type ToolWaySettings = {
  /** How calls are written, whatever is known of the model. */
  dialect: Dialect | undefined;
  preset: Preset | undefined;
  toolStrategy: ToolStrategy | undefined;
};

export type ToolWay = Pick<
  ConversationModel,
  'provider' | 'dialect' | 'reads' | 'toolMode' | 'notice' | 'stop' | 'unsure'
> & {
  /** The model is led in steps: words of halter's own in the conversation would be taken for the person's. */
  led?: true;
};

export const toolWay = (settings: ToolWaySettings, chosen: ChosenModel): ToolWay => ({
  ...wayOf(settings, chosen),
  // A model that was trained to call ends its turns itself.
  stop: noToolsBecause(chosen.info) === undefined ? [] : endMarkersOf(chosen.info.chat_template),
});

const wayOf = (settings: ToolWaySettings, chosen: ChosenModel): Omit<ToolWay, 'stop'> => {
  const { dialect, preset, toolStrategy = 'auto' } = settings;
  const { provider, profile } = chosen;
  switch (toolStrategy) {
    case 'native':
      // The notation of a preset is told to nobody then, so a text is read in any.
      return {
        provider,
        dialect: dialect ?? 'auto',
        toolMode: 'native',
        notice: droppedNotice(chosen),
        unsure: 'told',
      };
    case 'text':
      return textWay(settings, chosen, undefined);
    case 'led':
      return ledWay(chosen, undefined);
  }
  if (dialect !== undefined) return { provider, dialect, toolMode: 'injected' };
  if (preset?.toolMode === 'injected') return nativeWay(settings, chosen);
  if (preset === undefined && profile?.tool_calls === 'text') return textWay(settings, chosen, 'probing found so');
  const because = withoutTools(chosen);
  if (because === undefined)
    return { ...nativeWay(settings, chosen), ...(isSaidToTake(chosen) ? {} : { unsure: 'changed' as const }) };
  const leads = canLead(provider) && mayBeLed(profile) && (isSmallModel(chosen.info) || profile?.tool_calls === 'none');
  return leads ? ledWay(chosen, because) : textWay(settings, chosen, because);
};

/** A server that was found to keep to no schema holds no call to one either. */
export const mayBeLed = (profile: Pick<ModelProfile, 'constrained'> | undefined): boolean =>
  profile?.constrained !== 'never';

/** The words of a person on why the model makes no calls by itself; undefined where it does, or where nobody says. */
const withoutTools = ({ info, profile }: ChosenModel): string | undefined => {
  if (profile?.tool_calls === 'native') return undefined;
  return noToolsBecause(info) ?? (profile?.tool_calls === 'none' ? 'probing it found no calls' : undefined);
};

/** Its server says so, or its template has a place for them, or it was seen. */
const isSaidToTake = ({ info, profile }: ChosenModel): boolean =>
  info.tools === true || info.chat_template !== undefined || profile?.tool_calls === 'native';

const nativeWay = ({ dialect, preset }: ToolWaySettings, { provider }: ChosenModel): Omit<ToolWay, 'stop'> => {
  const { dialect: written = 'auto', reads, toolMode = 'native' } = preset ?? {};
  return { provider, dialect: dialect ?? written, reads, toolMode };
};

const textWay = (
  { dialect, preset }: ToolWaySettings,
  { provider, model, info, profile }: ChosenModel,
  because: string | undefined,
): Omit<ToolWay, 'stop'> => {
  const given = dialect ?? (preset?.toolMode === 'injected' ? preset.dialect : undefined) ?? profile?.dialect;
  const family = given ?? familyOf({ model, template: info.chat_template });
  return {
    provider,
    dialect: family,
    ...(given === undefined ? { reads: 'auto' } : {}),
    toolMode: 'injected',
    notice: because === undefined ? undefined : injectedNotice(shownName(model), because),
  };
};

/** One that leads in the engine itself has its own way there. */
const ledWay = (chosen: ChosenModel, because: string | undefined): Omit<ToolWay, 'stop'> => {
  const { provider, model, info } = chosen;
  const native = { dialect: 'auto', toolMode: 'native' } as const;
  if (provider.decodeToolCall !== undefined) return { ...native, provider, led: true };
  if (!canLead(provider)) return { ...native, provider, notice: cannotLeadNotice(chosen) };
  const led = ledProvider(provider, { isSmall: isSmallModel(info), monotonic: systemClock.monotonic });
  return { ...native, provider: led, notice: ledNotice(shownName(model), because), led: true };
};

const ledNotice = (model: string, because: string | undefined): ToolNotice => ({
  code: 'tools_led',
  message: `${because === undefined ? `${model} is` : `${model} takes no tools of its own accord: ${because}. It is`} led in steps: halter decides by your words whether a tool is needed, and the model writes the values of the call.${because === undefined ? '' : ' `--tool-strategy text` describes the tools to it instead.'}`,
});

const droppedNotice = (chosen: ChosenModel): ToolNotice | undefined => {
  const because = noToolsBecause(chosen.info);
  if (because === undefined) return undefined;
  const message = `${shownName(chosen.model)} is sent its tools, and may never see them: ${because}. \`--tool-strategy auto\` finds a way that works.`;
  return { code: 'tools_unseen', message };
};

const cannotLeadNotice = ({ provider, model }: ChosenModel): ToolNotice => ({
  code: 'tools_not_led',
  message: `${shownName(model)} cannot be led in steps: ${provider.name} holds no answer to a schema. It is sent the tools as they are.`,
});
