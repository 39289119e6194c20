// The page that draws diagrams, in one compressed file: a frame without an origin could load no second one. Layouts that
// cost more than the rest together (elk, cytoscape) and formulas are left out; a diagram that needs them stays code.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

const LEFT_OUT = /^(?:elkjs|cytoscape|katex)(?:[/-]|$)/;
const MARK = '\0left-out:';

const leaveOut = {
  name: 'leave-out',
  resolveId: (id) => (LEFT_OUT.test(id) ? MARK + id : null),
  load: (id) => (id.startsWith(MARK) ? 'export default undefined;' : null),
};

const pageOf = (code) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Diagram</title>
<style>body{margin:0}svg{display:block;margin:auto;max-width:100%;height:auto}</style></head>
<body></body><script>${code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--')}</script></html>
`;

/** False where the library is not installed: the page does without diagrams then. */
export const buildMermaid = async (root, out) => {
  if (!existsSync(join(root, 'node_modules', 'mermaid', 'package.json'))) {
    console.warn('mermaid is not installed, so diagrams stay code. `npm ci` installs it.');
    return false;
  }
  const [{ rolldown }, { thirdPartyLicenses }] = await Promise.all([import('rolldown'), import('./third-party.ts')]);
  const bundle = await rolldown({
    input: join(root, 'web', 'src', 'mermaid', 'frame.ts'),
    platform: 'browser',
    plugins: [leaveOut],
    logLevel: 'silent',
  });
  const { output } = await bundle.generate({ format: 'iife', codeSplitting: false, minify: true });
  await bundle.close();
  const [{ code, modules }] = output;
  writeFileSync(join(out, 'mermaid.html.gz'), gzipSync(pageOf(code), { level: 9 }));
  const used = Object.keys(modules).filter((id) => !id.startsWith(MARK));
  writeFileSync(join(out, 'mermaid-licenses.txt'), thirdPartyLicenses(used));
  return true;
};
