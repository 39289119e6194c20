/** Programs that build a package, an image or a deployment of a folder. */
import { COMPOSE_FILES } from './image-files.ts';
import type { Packer } from './packer.ts';

/** Most build from what git keeps track of, or leave out what it ignores. */
const BY_GIT = ['.gitignore'];
const BUILT: Pick<Packer, 'leaves' | 'skips' | 'isHere'> = {
  leaves: BY_GIT,
  skips: /(?:^|\/)(?:\.git|node_modules|\.venv)\//,
  isHere: true,
};
/** What the image is made of says its own file. */
const IMAGE: Pick<Packer, 'leaves' | 'otherFile' | 'flags' | 'named'> = {
  leaves: ['Dockerfile.dockerignore', '.dockerignore', 'Dockerfile'],
  otherFile: /^-f|^--file|^--build-context/,
  named: /^--build-context$/,
  flags: '--no-cache --pull -q --quiet --rm --force-rm --squash --compress --push --load --check -D --debug',
};
const OF_PODMAN = { ...IMAGE, leaves: ['.containerignore', '.dockerignore', 'Containerfile', 'Dockerfile'] };
const COMPOSED = { ...IMAGE, leaves: [...(IMAGE.leaves ?? []), ...COMPOSE_FILES], isHere: true as const };
const CONTAINERS = /^(?:docker|nerdctl|img|depot|finch)$/;
const PODMAN = /^(?:podman|buildah)$/;
const COMPOSING = /^(?:docker|podman|nerdctl|finch)$/;
/** What is fed, or an address. */
const ADDRESS = /^-$|^(?:https?|git|ssh):\/\/|^git@/;
const COMPOSE = /^(?:docker|podman|nerdctl)-compose$/;
const TWO_DIRECTIONS = /^(?:deploy|publish|up|push|update)$/;

const NIX_ORDERS: readonly (readonly RegExp[])[] = [
  [/^(?:build|develop|run|shell|bundle|print-dev-env|copy)$/],
  [/^flake$/, /^(?:check|archive|show|metadata)$/],
];

export const BUILDERS: readonly Packer[] = [
  { program: /^(?:uv|poetry|hatch|pdm|rye|flit|maturin)$/, order: [/^(?:build|publish|sdist|upload)$/], ...BUILT },
  { program: /^(?:pyproject-build|conda-build|conda-mambabuild|rattler-build)$/, ...BUILT },
  { program: /^(?:conda|mamba)$/, order: [/^(?:build|mambabuild)$/], ...BUILT },
  { program: /^setup\.py$/, order: [/^(?:sdist|bdist(?:_\w+)?|upload|register)$/], ...BUILT },
  { program: /^(?:shiv|pex)$/ },
  { program: /^briefcase$/, order: [/^(?:package|publish|build|create)$/], ...BUILT },
  { program: /^twine$/, order: [/^upload$/] },
  // What is told is a file that was made before.
  { program: /^(?:gem|helm|luarocks|cpan-upload|xcrun)$/, order: [/^(?:push|upload)$/] },
  { program: /^gem$/, order: [/^build$/], ...BUILT },
  { program: /^luarocks$/, order: [/^(?:pack|make|upload)$/], ...BUILT },
  { program: /^(?:cabal|stack)$/, order: [/^(?:sdist|upload)$/], ...BUILT },
  { program: /^(?:dart|flutter)$/, order: [/^pub$/, /^publish$/], ...BUILT },
  { program: /^(?:elm|spago|nimble|opam|dub|shards|wapm|wasm-pack)$/, order: [/^(?:publish|pack)$/], ...BUILT },
  { program: /^R(?:script)?$/, order: [/^CMD$/, /^build$/] },
  { program: /^ansible-galaxy$/, order: [/^(?:collection|role)$/, /^(?:build|publish|import)$/], ...BUILT },
  { program: /^puppet$/, order: [/^module$/, /^build$/], ...BUILT },
  { program: /^(?:snapcraft|charmcraft|rockcraft)$/, order: [/^(?:pack|remote-build)$/], ...BUILT },
  {
    program: /^snapcraft$/,
    others:
      /^(?:pack|help|version|list|login|logout|whoami|status|init|clean|upload|release|close|names?|register|.*-.*)$/,
    ...BUILT,
  },
  { program: /^conan$/, order: [/^(?:create|export|export-pkg|upload)$/], ...BUILT },
  { program: /^(?:nuget|dotnet)$/, order: [/^pack$/], ...BUILT },
  { program: /^goreleaser$/, order: [/^(?:release|build)$/], ...BUILT },
  // Images.
  { program: CONTAINERS, order: [/^build$/], elsewhere: ADDRESS, ...IMAGE },
  { program: CONTAINERS, order: [/^(?:buildx|image|builder)$/, /^(?:build|b)$/], elsewhere: ADDRESS, ...IMAGE },
  { program: CONTAINERS, order: [/^buildx$/, /^bake$/], isHere: true, leaves: ['.dockerignore'] },
  { program: PODMAN, order: [/^(?:build|bud)$/], elsewhere: ADDRESS, ...OF_PODMAN },
  { program: PODMAN, order: [/^image$/, /^build$/], elsewhere: ADDRESS, ...OF_PODMAN },
  { program: COMPOSING, order: [/^compose$/, /^build$/], ...COMPOSED },
  { program: COMPOSING, order: [/^compose$/, /^(?:up|run|create|watch)$/], needs: /^--build$/, ...COMPOSED },
  { program: COMPOSE, order: [/^build$/], ...COMPOSED },
  { program: COMPOSE, order: [/^(?:up|run|create)$/], needs: /^--build$/, ...COMPOSED },
  { program: /^(?:kaniko|executor)$/, needs: /^(?:-c|--context)(?:=|$)/, isHere: true, leaves: ['.dockerignore'] },
  { program: /^(?:pack|nixpacks)$/, order: [/^build$/], folder: /^(?:-p|--path)$/, isHere: true },
  { program: /^s2i$/, order: [/^build$/] },
  { program: /^dagger$/, order: [/^call$/], needs: /=\.|^\.\/?$/, isHere: true },
  { program: /^earthly$/, needs: /^\+|^\.\/\+/, isHere: true, leaves: ['.earthlyignore'] },
  { program: /^skaffold$/, order: [/^(?:build|run|dev|debug)$/], isHere: true, leaves: ['.dockerignore'] },
  { program: /^(?:devspace|okteto|garden|tilt)$/, order: [/^(?:deploy|up|build|dev|ci)$/], isHere: true },
  // The store, which everybody of the machine reads: what git ignores is not copied, but of a `path:`.
  ...NIX_ORDERS.flatMap((order): Packer[] => [
    { program: /^nix$/, order, needs: /^path:/, isHere: true },
    { program: /^nix$/, order, leaves: ['.gitignore'] },
    { program: /^nix$/, order, needs: /^\.(?!\/result)/, isHere: true, leaves: ['.gitignore'] },
  ]),
  {
    program: /^(?:nixos|darwin)-rebuild$|^home-manager$/,
    needs: /^--flake(?:=\.|$)/,
    isHere: true,
    leaves: ['.gitignore'],
  },
  // Clouds.
  { program: /^(?:cdk|aws-cdk|cdktf)$/, order: [/^(?:deploy|watch)$/], isHere: true, leaves: [] },
  { program: /^(?:pulumi|sst|amplify|ampx|copilot|azd|arc|claudia)$/, order: [TWO_DIRECTIONS], isHere: true },
  { program: /^azd$/, order: [/^package$/], isHere: true },
  {
    program: /^wrangler$/,
    order: [/^(?:deploy|publish)$/],
    folder: /^(?:--assets|--site)$/,
    isHere: true,
    skips: /(?:^|\/)(?:\.git|node_modules)\//,
  },
  { program: /^wrangler$/, order: [/^versions$/, /^upload$/], folder: /^--assets$/, isHere: true },
  { program: /^gh-pages$/, folder: /^(?:-d|--dist)$/, isHere: true },
  { program: /^oci$/, order: [/^os$/, /^object$/, /^bulk-upload$/], folder: /^--src-dir$/, isHere: true },
  { program: /^clasp$/, order: [/^push$/], isHere: true, leaves: ['.claspignore'] },
  { program: /^ibmcloud$/, needs: /^--build-source/, folder: /^--build-source$/, isHere: true },
  { program: /^code-push(?:-standalone)?$/, order: [/^release/], isHere: true },
  { program: /^appcenter$/, order: [/^codepush$/, /^release/], isHere: true },
  // Other machines.
  { program: /^mutagen$/, order: [/^(?:sync|project)$/, /^(?:create|start)$/] },
  { program: /^magic-wormhole$/, order: [/^send$/] },
  { program: /^(?:sftp|ncftpput|wput|mega-put|nextcloudcmd|owncloudcmd)$/, flags: '-r -R -a' },
  { program: /^(?:swift|gdrive|drive)$/, order: [/^(?:upload|push)$/], flags: '-r --recursive' },
  { program: /^p7zip$/, needs: /^[^-]/ },
  { program: /^(?:sonar-scanner|fossa|coveralls)$/, isHere: true, leaves: BY_GIT },
  { program: /^snyk$/, order: [/^code$/, /^test$/], isHere: true, leaves: ['.snyk', ...BY_GIT] },
  { program: /^ggshield$/, order: [/^secret$/, /^scan$/], isHere: true, leaves: BY_GIT },
];
