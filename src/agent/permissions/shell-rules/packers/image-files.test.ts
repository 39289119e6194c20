/** What `docker build` and its like take of a folder with a secret. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../../tests/requirements.ts';
import { decidedIn } from '../../../../../tests/support/beside-secret.ts';

const ENV = { '.env': 'KEY=1', 'src/a.ts': '', 'dist/a.js': '' };
const COPIES = 'FROM node\nWORKDIR /app\nCOPY package.json src/ ./\nCOPY --from=base /x /y\nRUN npm ci\n';
const ALL = 'FROM node\nCOPY . .\n';
describe('what an image takes of its folder', () => {
  it.each([
    ['docker build .', { Dockerfile: COPIES }, 'allow'],
    ['docker build -t app . && docker run --rm app', { Dockerfile: COPIES }, 'allow'],
    ['docker build -t app:$(git rev-parse --short HEAD) .', { Dockerfile: COPIES }, 'allow'],
    ['docker compose build', { Dockerfile: COPIES }, 'allow'],
    ['docker compose build', { Dockerfile: COPIES, 'compose.yaml': 'services:\n  web:\n    build: .\n' }, 'allow'],
    [
      'docker compose up --build',
      { Dockerfile: COPIES, 'compose.yaml': 'services:\n  web:\n    build:\n      context: .\n' },
      'allow',
    ],
    ['podman build .', { Containerfile: COPIES }, 'allow'],
    ['buildah bud .', { Dockerfile: COPIES }, 'allow'],
    ['docker build .', { Dockerfile: ALL, '.dockerignore': '.env\n' }, 'allow'],
    ['docker build .', { Dockerfile: 'FROM node\nCOPY \\\n  src \\\n  /app\n' }, 'allow'],
    ['docker build .', { Dockerfile: 'FROM node\nCOPY ["src", "/app"]\n' }, 'allow'],
    ['docker build .', { Dockerfile: 'FROM node\nRUN --mount=type=cache,target=/x npm ci\nCOPY src .\n' }, 'allow'],
    ['docker build .', { Dockerfile: '# syntax=docker/dockerfile:1\nFROM node\nCOPY src .\n' }, 'allow'],
    ['docker build src', { 'src/Dockerfile': ALL }, 'allow'],
    ['docker build -f Dockerfile .', { Dockerfile: COPIES }, 'allow'],
    ['docker build --file=./Dockerfile -t app .', { Dockerfile: COPIES }, 'allow'],
    ['docker build -f Dockerfile . && git add Dockerfile', { Dockerfile: COPIES }, 'allow'],
    ['docker build .', { Dockerfile: 'FROM node\nCOPY src \\\n\n  # why\n  dist /app/\n' }, 'allow'],
    ['docker build .', { Dockerfile: ALL }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\nADD ./ /app\n' }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\nCOPY .env /app\n' }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\nCOPY src dist \\\n\n .env /app/\n' }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\nCOPY src \\\n \t\r\n  # x\n .env /app/\n' }, 'secret'],
    ['docker build --build-context ctx=. -t x .', { Dockerfile: 'FROM node\nCOPY --from=ctx . /x\n' }, 'secret'],
    ['docker build --build-context=ctx=. src', { 'src/Dockerfile': 'FROM node\nCOPY --from=ctx . /x\n' }, 'secret'],
    [
      'docker buildx build --build-context ctx=. .',
      { Dockerfile: 'FROM node\nRUN --mount=from=ctx,target=/x true\n' },
      'secret',
    ],
    ['docker build -f Dockerfile web', { Dockerfile: ALL, 'web/.env': 'KEY=1', 'web/Dockerfile': COPIES }, 'secret'],
    ['docker build -f Dockerfile -f x.docker .', { Dockerfile: COPIES, 'x.docker': ALL }, 'secret'],
    ['docker build -fx.docker .', { Dockerfile: COPIES, 'x.docker': ALL }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\nCOPY .e* /app\n' }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\nCOPY * /app\n' }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\nARG X=.\nCOPY $X /app\n' }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\nCOPY src/../ /app\n' }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\ncopy \\\n  . /app\n' }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\nCOPY ["." , "/app"]\n' }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\nONBUILD COPY . /app\n' }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\nRUN --mount=target=/x cp /x/.env /y\n' }, 'secret'],
    ['docker build .', { Dockerfile: 'FROM node\nRUN --mount=type=bind,target=/x cp /x/.env /y\n' }, 'secret'],
    ['docker build .', { Dockerfile: '# syntax=evil/x\nFROM node\nCOPY src .\n' }, 'secret'],
    ['docker build .', { Dockerfile: '# escape=`\nFROM node\nCOPY `\n . /x\n' }, 'secret'],
    ['docker build -f x.docker .', { Dockerfile: COPIES, 'x.docker': ALL }, 'secret'],
    ['docker build --file=x.docker .', { Dockerfile: COPIES, 'x.docker': ALL, '.dockerignore': '.env\n' }, 'secret'],
    ['docker build .', { Dockerfile: ALL, '.dockerignore': '.env\n', 'Dockerfile.dockerignore': 'x\n' }, 'secret'],
    ['podman build .', { Containerfile: ALL, '.dockerignore': '.env\n', '.containerignore': 'x\n' }, 'secret'],
    ['podman build .', { Containerfile: ALL, Dockerfile: COPIES }, 'secret'],
    ['docker build .', { Dockerfile: ALL, 'web/.env': 'KEY=1', '.dockerignore': '.env\n' }, 'secret'],
    ['docker compose build', { Dockerfile: COPIES, 'compose.yaml': 'services:\n  w:\n    build: ./web\n' }, 'secret'],
    [
      'docker compose build',
      { Dockerfile: COPIES, 'compose.yaml': 'services:\n  w:\n    build: {context: web}\n' },
      'secret',
    ],
    [
      'docker compose build',
      { Dockerfile: COPIES, 'compose.yaml': 'services:\n  w:\n    build:\n      dockerfile: x\n' },
      'secret',
    ],
    ['docker compose -f x.yml build', { Dockerfile: COPIES }, 'secret'],
  ] as const)('%s beside %j: %s', async (line, files, expected) => {
    verifies('S18');
    expect(await decidedIn({ ...ENV, ...files }, line)).toBe(expected);
  });
});
