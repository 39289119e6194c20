import { expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { hasPlaceForTools } from './tool-notation.ts';

const TURNS = '{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}';

it.each([
  ['lists them', `{% if tools %}{{ tools | tojson }}{% endif %}${TURNS}`, true],
  ['goes through them', `{%- for tool in tools %}{{ tool.function.name }}{%- endfor %}${TURNS}`, true],
  ['hands them on', `{%- set custom = tools -%}{{ custom | tojson }}${TURNS}`, true],
  ["is one of Ollama's", '{{ if .Tools }}{{ json .Tools }}{{ end }}{{ .Prompt }}', true],
  ['has none', TURNS, false],
  ['speaks of them in a comment', `{# tools come later #}${TURNS}`, false],
  ['says their word to the model', `You are a helper without tools.\n${TURNS}`, false],
  ['says it in a string', `{{ "You have no tools." }}{{ 'tools' }}${TURNS}`, false],
  ['writes calls of before alone', `${TURNS}{% for m in messages %}{{ m.tool_calls }}{% endfor %}`, false],
  ['reads a field of that name', `${TURNS}{{ messages[0].tools }}{{ message['tools'] }}`, false],
])('a template that %s has a place for tools: %s', (_what, template, expected) => {
  verifies('L1', 'L2');
  expect(hasPlaceForTools(template)).toBe(expected);
});
