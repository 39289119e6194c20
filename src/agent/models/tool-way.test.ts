import { describe, expect, it } from 'vitest';
import { verifies } from '../../../tests/requirements.ts';
import type { ModelInfo, ModelProvider } from '../../core/model-port.ts';
import type { ModelProfile } from '../../core/model-profile.ts';
import { findPreset } from '../../core/presets.ts';
import type { ToolStrategy } from '../../core/tool-strategy.ts';
import { scriptedProvider } from '../../testing/index.ts';
import type { ChosenModel } from './choose-model.ts';
import { type ToolWay, toolWay } from './tool-way.ts';

const SMALL = 100_000_000;
const LARGE = 8_000_000_000;
const NO_TOOLS = '{% for m in messages %}<|im_start|>{{ m.content }}<|im_end|>{% endfor %}';
const WITH_TOOLS = `{{ tools }}${NO_TOOLS}`;

const chosen = (
  info: Partial<ModelInfo>,
  more: { tool_calls?: ModelProfile['tool_calls']; provider?: Partial<ModelProvider> } = {},
): ChosenModel => ({
  provider: { ...scriptedProvider([]), constrains: true, ...more.provider },
  model: 'm',
  info: { id: 'm', ...info },
  ...(more.tool_calls ? { profile: { tool_calls: more.tool_calls } as ModelProfile } : {}),
});
const wayOf = (model: ChosenModel, toolStrategy?: ToolStrategy, more = {}): Omit<ToolWay, 'led'> & { led: boolean } => {
  const way = toolWay({ dialect: undefined, preset: undefined, toolStrategy, ...more }, model);
  return { ...way, led: way.provider !== model.provider };
};
const nameOf = ({ led, toolMode }: ReturnType<typeof wayOf>): string =>
  led ? 'led' : toolMode === 'injected' ? 'text' : 'native';

describe('how a model is had to call tools', () => {
  it.each<[string, ChosenModel, string, string | undefined]>([
    [
      'a template with a place for tools',
      chosen({ chat_template: WITH_TOOLS, size_bytes: SMALL }),
      'native',
      undefined,
    ],
    ['a server that says nothing', chosen({}), 'native', undefined],
    ['a small model without that place', chosen({ chat_template: NO_TOOLS, size_bytes: SMALL }), 'led', 'tools_led'],
    ['a large one without it', chosen({ chat_template: NO_TOOLS, size_bytes: LARGE }), 'text', 'tools_injected'],
    ['a small one whose server says no', chosen({ tools: false, size_bytes: SMALL }), 'led', 'tools_led'],
    ['one whose size only its name tells', chosen({ id: 'tiny-135M', tools: false }), 'led', 'tools_led'],
    [
      'one on a server that holds no answer to a schema',
      chosen({ tools: false, size_bytes: SMALL }, { provider: { constrains: undefined as never } }),
      'text',
      'tools_injected',
    ],
    [
      'one that was probed to call',
      chosen({ tools: false, size_bytes: SMALL }, { tool_calls: 'native' }),
      'native',
      undefined,
    ],
    [
      'one that was probed to write calls',
      chosen({ size_bytes: SMALL }, { tool_calls: 'text' }),
      'text',
      'tools_injected',
    ],
    ['one that was probed to do neither', chosen({ size_bytes: LARGE }, { tool_calls: 'none' }), 'led', 'tools_led'],
  ])('is found by itself: %s', (_, model, expected, notice) => {
    verifies('L1', 'L2');
    const way = wayOf(model);
    expect(nameOf(way)).toBe(expected);
    expect(way.notice?.code).toBe(notice);
  });

  it('is no led one where probing found that the server keeps to no schema', () => {
    const model = chosen({ tools: false, size_bytes: SMALL });
    const profile = { tool_calls: 'none', constrained: 'never' } as ModelProfile;
    expect(nameOf(wayOf({ ...model, profile }))).toBe('text');
  });

  const plain = chosen({ chat_template: NO_TOOLS, size_bytes: SMALL });
  it.each<[ToolStrategy, string, string | undefined]>([
    ['native', 'native', 'tools_unseen'],
    ['text', 'text', undefined],
    ['led', 'led', 'tools_led'],
    ['auto', 'led', 'tools_led'],
  ])('is what the person says: %s', (strategy, expected, notice) => {
    const way = wayOf(plain, strategy);
    expect(nameOf(way)).toBe(expected);
    expect(way.notice?.code).toBe(notice);
  });

  it.each<[string, ChosenModel, ToolStrategy, ToolWay['unsure']]>([
    ['a server that says nothing', chosen({}), 'auto', 'changed'],
    ['a server that says nothing, and a person who says how', chosen({}), 'native', 'told'],
    ['a server that says yes', chosen({ tools: true }), 'auto', undefined],
    ['a template with a place for tools', chosen({ chat_template: WITH_TOOLS }), 'auto', undefined],
    ['one that was probed to call', chosen({}, { tool_calls: 'native' }), 'auto', undefined],
    ['one that is told in the prompt', chosen({ tools: false, size_bytes: LARGE }), 'auto', undefined],
  ])('is in doubt until the server has counted: %s', (_, model, strategy, unsure) => {
    expect(wayOf(model, strategy).unsure).toBe(unsure);
  });

  it('is never led without a word where the server cannot', () => {
    const way = wayOf(chosen({}, { provider: { constrains: undefined as never } }), 'led');
    expect(way).toMatchObject({ led: false, toolMode: 'native', notice: { code: 'tools_not_led' } });
  });

  it('is the notation that the person or a preset names, whatever the model is', () => {
    expect(wayOf(plain, undefined, { dialect: 'qwen3-coder' })).toMatchObject({
      toolMode: 'injected',
      dialect: 'qwen3-coder',
    });
    const preset = findPreset('zoo-keeper');
    const way = wayOf(plain, undefined, { preset });
    expect(way).toMatchObject({ led: false, toolMode: preset?.toolMode });
  });

  it('ends an answer at the markers of its own template, and at no others', () => {
    expect(wayOf(plain).stop).toEqual(expect.arrayContaining(['<|im_end|>', '<|im_start|>']));
    expect(wayOf(plain).stop).not.toContain('<|eot_id|>');
    expect(wayOf(chosen({})).stop).toEqual([]);
    expect(wayOf(chosen({ chat_template: WITH_TOOLS })).stop).toEqual([]);
    // In a template with channels the same marker stands between thoughts and words.
    const channels = '<|start|>assistant<|channel|>final<|message|>{{ m.content }}<|end|>';
    expect(wayOf(chosen({ chat_template: channels }), 'text').stop).toEqual([]);
  });
});
