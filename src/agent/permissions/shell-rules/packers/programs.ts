/** Programs that pack a folder, and what their words mean: which name the folder, which take no value, which only tell. */
import type { Packer } from './packer.ts';

const OF_NPM = {
  leaves: ['package.json', '.npmignore', '.gitignore'],
  flags:
    '--json --provenance --ignore-scripts --force -f --silent -s --quiet -q --verbose -d --workspaces --ws --no-git-checks --report-summary --no-provenance',
  skips: /(?:^|\/)(?:\.git|node_modules)\/|(?:^|\/)\.npmrc$/,
};
const OF_YARN = { ...OF_NPM, skips: /(?:^|\/)(?:\.git|node_modules)\// };
const OF_VERCEL = {
  program: /^(?:vercel|vc|now)$/,
  folder: /^--cwd$/,
  flags:
    '--prod --yes -y --force -f --debug -d --public --prebuilt --no-wait --with-cache --logs -l --no-color --confirm',
  leaves: ['.vercelignore', '.gitignore'],
  skips: /(?:^|\/)(?:\.git|node_modules)\//,
};
const OF_GCLOUD = {
  program: /^gcloud$/,
  flags: '--quiet -q --async --allow-unauthenticated --no-allow-unauthenticated --no-traffic --promote --no-promote',
  leaves: ['.gcloudignore', '.gitignore'],
};
const QUICK = '-n -v --verbose -q --quiet --json -x --one-file-system';

export const PACKERS: readonly Packer[] = [
  // Told a prefix, npm packs the folder of the line all the same.
  { program: /^npm$/, order: [/^(?:pac?k?|pub?l?i?s?h?)$/], ...OF_NPM },
  { program: /^pnpm$/, order: [/^(?:pack|publish)$/], folder: /^(?:-C|--dir)$/, ...OF_NPM },
  { program: /^yarn$/, order: [/^(?:pack|publish)$/], folder: /^--cwd$/, ...OF_YARN },
  { program: /^yarn$/, order: [/^workspaces?$/, /^./, /^npm$/, /^publish$/], isHere: true, ...OF_YARN },
  // They publish each package of the folder.
  { program: /^(?:lerna|changeset)$/, order: [/^publish$/], isHere: true, ...OF_NPM },
  { program: /^(?:np|semantic-release|release-it)$/, isHere: true, ...OF_NPM },
  { program: /^yarn$/, order: [/^npm$/, /^publish$/], folder: /^--cwd$/, ...OF_YARN },
  { program: /^bun$/, order: [/^publish$/], folder: /^--cwd$/, ...OF_NPM },
  { program: /^bun$/, order: [/^pm$/, /^pack$/], folder: /^--cwd$/, ...OF_NPM },
  { program: /^(?:jsr|deno)$/, order: [/^publish$/], isHere: true },
  {
    program: /^vsce$/,
    order: [/^(?:package|publish)$/],
    isHere: true,
    leaves: ['.vscodeignore'],
    skips: /(?:^|\/)\.git\/|^\.npmrc$/,
  },
  { program: /^ovsx$/, order: [/^publish$/], leaves: ['.vscodeignore'], skips: /(?:^|\/)\.git\// },
  { program: /^helm$/, order: [/^package$/], flags: '-u --dependency-update --sign --debug', leaves: ['.helmignore'] },
  {
    program: /^cargo$/,
    order: [/^(?:package|publish)$/],
    isHere: true,
    tells: /^(?:--list|-l|--dry-run|--help)$/,
    flags: '--allow-dirty --no-verify --offline --locked --frozen -q --quiet -v --verbose --workspace',
    leaves: ['.gitignore'],
    skips: /(?:^|\/)\.git\/|^target\//,
  },
  { order: [/^deploy$/], ...OF_VERCEL },
  {
    others:
      /^(?:ai-gateway|alias|aliases|api|bisect|blob|build|cache|certs?|crons?|curl|deploy|dev|develop|dns|domains?|edge-config|env|firewall|flags|git|help|httpstat|init|inspect|install|integrations?|integration-resource|link|list|ls|login|logout|logs?|mcp|metrics|microfrontends|open|projects?|promote|pull|redeploy|redirects|remove|rm|rollback|rolling-release|routes|sandbox|secrets?|switch|targets?|teams?|telemetry|tokens?|upgrade|usage|webhooks|whoami)$/,
    ...OF_VERCEL,
  },
  {
    program: /^wrangler$/,
    order: [/^pages$/, /^(?:deploy|publish)$/],
    folder: /^--cwd$/,
    takesMany: true,
    skips: /(?:^|\/)(?:\.git|node_modules)\//,
  },
  {
    program: /^(?:netlify(?:-cli)?|ntl)$/,
    order: [/^deploy$/],
    folder: /^(?:-d|--dir)$/,
    isHere: true,
    flags: '--prod -p --json --build',
  },
  {
    program: /^surge$/,
    others: /^(?:list|login|logout|whoami|teardown|token|plus|ssl|help)$/,
    tells: /^--help$/,
  },
  { order: [/^(?:run|functions)$/, /^deploy$/], folder: /^--source$/, isHere: true, ...OF_GCLOUD },
  { order: [/^app$/, /^deploy$/], isBeside: true, ...OF_GCLOUD },
  { order: [/^builds$/, /^submit$/], ...OF_GCLOUD },
  { program: /^firebase(?:-tools)?$/, order: [/^(?:deploy|hosting:channel:deploy)$/], isHere: true },
  {
    program: /^railway$/,
    order: [/^up$/],
    flags: '-d --detach -c --ci --verbose -y --json',
    leaves: ['.railwayignore', '.gitignore'],
    skips: /(?:^|\/)(?:\.git|node_modules)\//,
  },
  {
    program: /^(?:fly|flyctl)$/,
    order: [/^(?:deploy|launch)$/],
    flags: '--remote-only --local-only --now --detach --no-cache --push --build-only -y --yes --verbose',
    leaves: ['.dockerignore'],
  },
  {
    program: /^(?:serverless|sls)$/,
    order: [/^(?:deploy|package)$/],
    isHere: true,
    tells: /^--help$/,
    skips: /(?:^|\/)\.git\/|^\.serverless\//,
  },
  {
    program: /^(?:eb|amplify|zappa|chalice|zeabur|koyeb|deployctl)$/,
    order: [/^(?:deploy|publish|update|package)$/],
    isHere: true,
  },
  { program: /^eas(?:-cli)?$/, order: [/^(?:build|update|deploy|upload)$/], isHere: true },
  { program: /^electron-(?:packager|builder)$/, isHere: true },
  { program: /^electron-forge$/, order: [/^(?:package|make|publish)$/], isHere: true },
  { program: /^databricks$/, order: [/^sync$/] },
  { program: /^databricks$/, order: [/^bundle$/, /^deploy$/], isHere: true },
  { program: /^func$/, order: [/^azure$/, /^functionapp$/, /^publish$/], isHere: true },
  {
    program: /^oc$/,
    order: [/^start-build$/],
    needs: /^--from-(?:dir|repo)/,
    folder: /^--from-(?:dir|repo)$/,
    isHere: true,
  },
  { program: /^oras$/, order: [/^push$/], least: 2 },
  { program: /^composer$/, order: [/^archive$/], isHere: true },
  { program: /^ouch$/, order: [/^(?:compress|c)$/], least: 2 },
  { program: /^apack$/, least: 2 },
  { program: /^atool$/, needs: /^-[a-zA-Z]*a|^--add/, least: 2 },
  { program: /^patool$/, order: [/^create$/], least: 2 },
  { program: /^xorriso$/, needs: /^-(?:as|map|add|update|update_r|cut_out)$/, isHere: true },
  { program: /^sam$/, order: [/^(?:build|deploy|package)$/], isHere: true },
  { program: /^cf$/, order: [/^push$/], isHere: true, folder: /^-p$/ },
  { program: /^heroku$/, order: [/^builds:create$/], isHere: true },
  { program: /^az$/, order: [/^(?:webapp|acr|containerapp)$/, /^(?:up|build)$/], isHere: true },
  { program: /^aws$/, order: [/^deploy$/, /^push$/], folder: /^--source$/, isHere: true },
  { program: /^aws$/, order: [/^cloudformation$/, /^package$/], isHere: true },
  {
    program: /^kaggle$/,
    order: [/^(?:datasets|kernels|models|d|k|m)$/, /^(?:create|version|push|update)$/],
    folder: /^(?:-p|--path)$/,
    isHere: true,
  },
  {
    program: /^(?:hf|huggingface-cli)$/,
    order: [/^upload(?:-large-folder)?$/],
    least: 2,
    flags: '--private --quiet --create-pr',
  },
  { program: /^asar$/, order: [/^(?:p|pack)$/] },
  {
    program: /^(?:restic|rustic|duplicacy|bupstash|duplicati-cli)$/,
    order: [/^backup$/],
    flags: `${QUICK} --no-cache --no-lock --force -f --with-atime --exclude-caches --skip-if-unchanged --no-scan`,
  },
  { program: /^bup$/, order: [/^(?:index|save)$/], flags: '-v -q -u --update' },
  {
    program: /^borg$/,
    order: [/^create$/],
    flags: `${QUICK} -p --progress -s --stats --list --info --debug --exclude-caches --no-cache-sync`,
  },
  {
    program: /^borgmatic$/,
    others:
      /^(?:list|info|check|rlist|rinfo|repo-list|repo-info|extract|mount|umount|restore|prune|compact|config|init|rcreate|repo-create|break-lock|key)$/,
    isHere: true,
  },
  {
    program: /^duplicity$/,
    others: /^(?:restore|verify|collection-status|list-current-files|cleanup|remove-.*)$/,
    flags: '--no-encryption --progress --allow-source-mismatch --force',
  },
  { program: /^rdiff-backup$/, flags: '--force --print-statistics' },
  // A profile says which folders, where not both are told.
  { program: /^unison$/, flags: '-batch -auto -silent', least: 2 },
  { program: /^makeself$/, flags: '--gzip --bzip2 --xz --nox11 --nomd5 --nocrc --notemp --quiet --sha256 --current' },
  { program: /^ditto$/, flags: '-c -k -x -v -V --keepParent --sequesterRsrc --rsrc --norsrc' },
  { program: /^lrztar$/, flags: '-d -f -q -v -z -b -g -l' },
  { program: /^zpaq$/, others: /^(?:x|l|extract|list)$/ },
  { program: /^dar$/, needs: /^-[a-zA-Z]*c|^--create/, folder: /^(?:-R|--fs-root)$/, isHere: true },
  { program: /^star$/, needs: /^-?[a-zA-Z]*[cru]/, tells: /^-?-help$/ },
  { program: /^kopia$/, order: [/^snap(?:shot)?$/, /^create$/] },
  {
    program: /^ipfs$/,
    order: [/^add$/],
    needs: /^-[a-zA-Z]*r|^--recursive$/,
    flags: '-r --recursive -q -Q --quiet --pin',
  },
  { program: /^(?:croc|wormhole|ffsend|transfer)$/, order: [/^(?:send|upload)$/] },
  { program: /^fpm$/, folder: /^-C$/, flags: '-f --force --verbose' },
  { program: /^svn$/, order: [/^import$/], flags: '-q --quiet --no-ignore --force --non-interactive' },
  { program: /^dpkg-deb$/, needs: /^-b$|^--build$/, flags: '-b --build --root-owner-group' },
];
