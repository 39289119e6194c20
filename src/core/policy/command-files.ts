/**
 * Files that a runner takes commands from when somebody starts it: the scripts of a package, the targets of a makefile, the
 * jobs of a build service. Nobody is asked about writing one as such; whose commands are written into it is looked at.
 */
import { askedUntilNamed, foldedName, isAutoExecutedPath } from './sensitive-files.ts';

const NAMES = `
  package.json package.json5 package.yaml composer.json deno.json deno.jsonc jsr.json turbo.json nx.json project.json lerna.json rush.json
  angular.json workspace.json wireit.json nodemon.json vercel.json now.json netlify.toml fly.toml render.yaml railway.json railway.toml
  wrangler.toml wrangler.json wrangler.jsonc app.json tauri.conf.json ecosystem.config.* gulpfile.* gruntfile.* jakefile.* package-scripts.*
  nps.* *.mk *.mak *.make makefile.* gnumakefile.* taskfile.* mask.md maskfile.md xc.md tox.ini setup.cfg setup.py noxfile.py tasks.py
  fabfile.py dodo.py invoke.y*ml pyproject.toml hatch.toml pixi.toml pdm.toml cargo.toml build.rs dockerfile.* *.dockerfile containerfile.*
  docker-compose*.y*ml compose*.y*ml docker-bake.* devcontainer.json cmakelists.txt *.cmake cmakepresets.json cmakeuserpresets.json
  meson.build meson_options.txt sconstruct wscript *.gradle *.gradle.kts pom.xml build.xml ivy.xml build.sbt build.sc build.zig build.mill
  *.bazel *.bzl *.buck *.nix *.ninja xmake.lua premake*.lua dune-project *.cabal stack.yaml package.yaml mix.exs rebar.config
  project.clj deps.edn bb.edn *.rake *.gemspec *.podspec *.pro *.csproj *.fsproj *.vbproj *.targets *.props *.nuspec *.vcxproj *.proj
  *.service *.timer *.socket *.path *.desktop *.plist *.reg *.rules playbook*.y*ml *.playbook.y*ml site.y*ml tasks/*.y*ml handlers/*.y*ml
  *.tf *.tofu *.hcl *.pkr.hcl skaffold.y*ml tiltfile earthfile garden.y*ml okteto.y*ml dagger.json chart.yaml action.y*ml process-compose.y*ml
  overmind.* foreman.* *.tmuxinator.yml .tmuxinator.yml *.runconfig launch.json tasks.json
  *.sh *.bash *.zsh *.ksh *.dash *.ash *.csh *.tcsh *.fish *.nu *.elv *.xsh *.ps1 *.psm1 *.psd1 *.bat *.cmd *.command *.tool *.vbs *.wsf *.applescript
`;
const patternOf = (name: string): string =>
  name.replaceAll('.', '\\.').replaceAll('+', '\\+').replaceAll('*', '[^/]*').replaceAll('y[^/]*ml', 'ya?ml');
const NAMED = new RegExp(`(?:^|/)(?:${NAMES.trim().split(/\s+/).map(patternOf).join('|')})$`);
/** Without an ending: `Makefile`, `bin/setup`, `Procfile`. */
const ENDLESS = /(?:^|\/)\.?[^./]+$/;
const ENDLESS_NAMES =
  /(?:^|\/)\.?(?:[a-z]*make|make|just|task|docker|container|rake|gem|vagrant|proc|jenkins|cap|guard|brew|pip|pod|fast|tilt|earth|mask|jake|cake|cask|scaf)file$|(?:^|\/)(?:justfile|crontab|build|workspace|configure|sconstruct|rakefile|wscript)$/;

const placeOf = (path: string): string =>
  path
    .split(/[\\/]+/)
    .map(foldedName)
    .join('/');

/** By a name that nothing but such a file has. */
export const isNamedCommandFile = (path: string): boolean => {
  const place = placeOf(path);
  return (
    NAMED.test(place) || ENDLESS_NAMES.test(place) || isAutoExecutedPath(path) || askedUntilNamed(path)?.does === 'runs'
  );
};

/** Also by the lack of an ending: most of these are programs. */
export const isCommandFile = (path: string): boolean => ENDLESS.test(placeOf(path)) || isNamedCommandFile(path);
