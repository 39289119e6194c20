import { expect, test } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { createTemplateRenderer, renderTemplate } from './render-template.ts';

const chat = `{% for m in messages %}<|im_start|>{{ m.role }}
{{ m.content }}<|im_end|>
{% endfor %}{% if tools %}{{ tools | tojson }}{% endif %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}`;

test("renders a model's own template with its tools", async () => {
  verifies('L2');
  const rendered = await renderTemplate(chat, {
    messages: [{ role: 'user', content: 'hi' }],
    tools: [{ name: 'ls' }],
    add_generation_prompt: true,
  });
  expect(rendered).toEqual({
    ok: true,
    value: '<|im_start|>user\nhi<|im_end|>\n[{"name": "ls"}]<|im_start|>assistant\n',
  });
});

test('a template that raises, does not parse or does not end is a value, and the program goes on', async () => {
  expect(await renderTemplate("{{ raise_exception('roles must alternate') }}", {})).toMatchObject({
    ok: false,
    error: { error_type: 'parse_error', message: 'The chat template failed: roles must alternate' },
  });
  expect(await renderTemplate('{% for %}', {})).toMatchObject({ ok: false, error: { error_type: 'parse_error' } });
  const endless = '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}';
  expect(await renderTemplate(endless, {}, 300)).toMatchObject({ ok: false, error: { reason: 'timeout' } });
});

test('one thread renders many times, and is replaced after it hung', async () => {
  // The time of a thread's start counts, and on a busy machine it is long.
  const began = performance.now();
  await renderTemplate('{{ a }}', { a: 0 });
  const renderer = createTemplateRenderer(Math.max(500, 10 * (performance.now() - began)));
  const endless = '{% for a in range(100000) %}{% for b in range(100000) %}{% endfor %}{% endfor %}';
  const all = await Promise.all([
    renderer.render('{{ a }}', { a: 1 }),
    renderer.render('{{ a }}', { a: 2 }),
    renderer.render('{{ nothing() }}', {}),
    renderer.render('{{ a }}', { a: 3 }),
    renderer.render(endless, {}),
    renderer.render('{{ a }}', { a: 4 }),
  ]);
  expect(all).toMatchObject([
    { value: '1' },
    { value: '2' },
    { error: { error_type: 'parse_error' } },
    { value: '3' },
    { ok: false, error: { reason: 'timeout' } },
    { value: '4' },
  ]);
  renderer.close();
});
