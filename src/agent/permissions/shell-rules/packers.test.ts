/** A package, a backup or a web site that is made of a folder with a secret. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { decidedBesideSecret, decidedIn } from '../../../../tests/support/beside-secret.ts';

describe('a program that packs a folder with a secret', () => {
  it.each([
    'npm pack',
    'npm --prefix . pack',
    'npm publish',
    'pnpm pack',
    'yarn pack',
    'yarn npm publish',
    'bun pm pack',
    'vsce package',
    'asar pack . x.asar',
    'npx asar pack . x.asar',
    'cp -rT . ../x',
    'cp --archive . ../x',
    'install -D .e?v x',
    'borg create r::a .',
    'restic backup .',
    'duplicity . file:///x',
    'kopia snapshot create .',
    'ipfs add -r .',
    'croc send .',
    'wormhole send .',
    'dar -c x -R .',
    'zpaq a x .',
    'fpm -s dir -t tar .',
    'helm package .',
    'svn import . file:///x',
    'unison . /tmp/x',
    'rdiff-backup . /tmp/x',
    'dpkg-deb -b . x.deb',
    'makeself . x.run y ./z',
    'ditto . /tmp/x',
    'lrztar .',
    'vercel',
    'vercel deploy',
    'wrangler pages deploy .',
    'netlify deploy --dir .',
    'surge .',
    'gcloud run deploy --source .',
    'gcloud app deploy',
    'git diff --no-index /dev/null .',
    'git stash push --all',
    'git add -A -f',
    'jar -cf x.jar .',
    '7z a x .',
    '7z a -tzip x',
    'bsdtar -cf x .',
    'star -c f=x .',
    'busybox tar cf x .',
    'python3 -m zipapp .',
    'python3 -m zipfile -c x.zip .',
    `python3 -c "import shutil; shutil.make_archive('x','zip')"`,
    `perl -MArchive::Tar -e 'Archive::Tar->create_archive("x",0,glob(".*"))'`,
  ])('asks: %s', async (line) => {
    verifies('S18');
    expect(await decidedBesideSecret(line)).toBe('secret');
  });

  it.each([
    'npm install',
    'npm pack --dry-run',
    'serverless deploy',
    'vercel login',
    'vercel env ls',
    'helm list',
    'npm run pack',
    'yarn install',
    'surge list',
    'borg list r',
    'wrangler dev',
    'gcloud run services list',
    'restic snapshots',
    'svn status',
    'borg create r::a src',
    'restic backup src',
    'asar pack src x.asar',
    'wrangler pages deploy src',
    'netlify deploy --dir src',
  ])('takes none along: %s', async (line) => {
    verifies('S18');
    expect(await decidedBesideSecret(line)).toBe('allow');
  });
});

const ENV = { '.env': 'KEY=1', 'src/a.ts': '' };
describe('what a folder says that it leaves out', () => {
  it.each([
    ['npm pack', { '.npmignore': '.env\n' }, 'allow'],
    ['npm pack', { '.gitignore': '.env*\n' }, 'allow'],
    ['npm publish', { '.gitignore': '*\n!src\n' }, 'allow'],
    ['npm pack', { 'package.json': '{"files": ["src"]}' }, 'allow'],
    ['npm pack', { 'package.json': '{"files": ["src/", "dist"]}' }, 'allow'],
    ['vercel deploy', { '.vercelignore': '.env\n' }, 'allow'],
    ['npm pack', { '.npmrc': 'x=1', '.npmignore': '.env\n' }, 'allow'],
    // One file takes the place of the other.
    ['npm pack', { '.npmignore': 'x\n', '.gitignore': '.env\n' }, 'secret'],
    ['npm pack', { '.gitignore': '.env\n!.env\n' }, 'secret'],
    ['npm pack', { '.gitignore': '# .env\n' }, 'secret'],
    ['npm pack', { 'package.json': '{"files": [".env", "src"]}' }, 'secret'],
    ['npm pack', { 'package.json': '{"files": ["*"]}' }, 'secret'],
    ['npm pack', { 'package.json': '{"files": ["."]}' }, 'secret'],
    ['npm pack', { 'package.json': '{"files": []}' }, 'secret'],
    ['npm pack', { 'package.json': 'no json', '.npmignore': 'src\n' }, 'secret'],
    ['npm pack', { '.gitignore': '.env\n', 'deep/.env.local': 'KEY=1', '.npmignore': '/.env\n' }, 'secret'],
    ['restic backup .', { '.gitignore': '.env\n' }, 'secret'],
  ] as const)('%s beside %j: %s', async (line, files, expected) => {
    verifies('S18');
    expect(await decidedIn({ ...ENV, ...files }, line)).toBe(expected);
  });
});
