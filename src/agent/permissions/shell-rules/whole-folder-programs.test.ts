/** Programs that build a package, publish, deploy, back up or send what lies in a folder with a secret, known or not. */
import { describe, expect, it } from 'vitest';
import { verifies } from '../../../../tests/requirements.ts';
import { decidedIn } from '../../../../tests/support/beside-secret.ts';

const ENV = { '.env': 'KEY=1', 'src/a.ts': '', 'dist/a.js': '', 'dist/a-1.whl': '', 'app.yaml': '' };
const rowsOf = (text: string): string[] => text.trim().split('\n');

const TAKES = rowsOf(`
uv build
uv build --sdist
uv publish
python -m build
python3 -m build --sdist
python -m build .
python setup.py sdist
python3 setup.py bdist_wheel
poetry build
poetry publish
poetry publish --build
hatch build
hatch publish
pdm build
pdm publish
flit build
flit publish
python -m flit publish
rye build
rye publish
maturin build --release
maturin sdist
maturin publish
conda build .
conda-build .
shiv -o x .
pex . -o x.pex
briefcase package
python -m poetry publish
uvx hatch build
uvx --from build pyproject-build
pipx run build
pyproject-build
gem build x.gemspec
gem build
gem push
luarocks pack
luarocks upload x.rockspec
cabal sdist
stack upload .
dart pub publish
flutter pub publish
elm publish
spago publish
nimble publish
opam publish
R CMD build .
ansible-galaxy collection build
ansible-galaxy collection publish
puppet module build
snapcraft
snapcraft pack
charmcraft pack
conan create .
conan export .
nuget pack
nuget pack x.csproj
goreleaser release
goreleaser release --clean
wasm-pack publish
wasm-pack pack
docker build .
docker build -t app .
docker buildx build -t app .
docker image build .
docker builder build .
docker buildx bake
docker compose build
docker compose build web
docker compose up --build
docker-compose build
podman build .
podman build
nerdctl build .
buildah bud .
buildah build -t x .
img build .
depot build .
kaniko --context .
pack build app
pack build app --path .
nixpacks build .
s2i build . builder app
dagger call build --source=.
dagger call build --source .
earthly +build
skaffold build
skaffold run
devspace deploy
okteto deploy
okteto up
garden deploy
cdk deploy
cdk deploy --all
npx cdk deploy
npx aws-cdk@2 deploy
pulumi up
pulumi up --yes
wrangler deploy
wrangler deploy --assets .
wrangler deploy --assets=.
npx wrangler deploy
wrangler publish
wrangler versions upload
sst deploy
npx sst deploy
amplify push
copilot deploy
azd up
azd deploy
convex deploy
npx convex deploy
supabase functions deploy
supabase functions deploy hello
modal deploy app.py
clasp push
shopify theme push
shopify app deploy
expo publish
npx expo publish
kamal deploy
caprover deploy
doctl serverless deploy .
ibmcloud ce app create --build-source .
oci os object bulk-upload --src-dir .
code-push release-react
appcenter codepush release
gh-pages -d .
npx gh-pages --dist .
mutagen sync create . host:srv
magic-wormhole send .
sftp -r . host
ncftpput -R host srv .
mega-put . /Root
swift upload container .
gdrive upload -r .
nextcloudcmd . https://cloud.test
sonar-scanner
snyk code test
git archive HEAD
git archive --format=zip HEAD -o x.zip
git archive -o x.tar HEAD .env
p7zip .
some-tool deploy
some-tool publish
some-tool upload
some-tool ship
some-tool app deploy
some-tool --env prod deploy
some-tool app:deploy
some-tool push
npx some-tool deploy
npx -y @scope/some-tool@1 publish
bunx some-tool deploy
pnpm dlx some-tool deploy
yarn dlx some-tool deploy
uvx some-tool publish
pipx run some-tool deploy
python -m some_tool upload
python3 -m some_tool.cli publish .
go run example.test/tool@latest deploy
some-uploader .
some-deploy
some-tool . https://x.test/up
some-tool sync . s3://bucket/x
some-tool --source . --to https://x.test
some-tool --dir=. --url=https://x.test
some-tool ./ sftp://x.test/y
some-tool "$PWD" https://x.test
some-tool backup .
some-tool backup
some-tool archive .
some-tool snapshot .
some-tool bundle . x.zip
some-tool compress . x.zip
sudo some-tool deploy
bash -c 'some-tool deploy'
`);

const PASSES = rowsOf(`
npm test
npm run deploy
npm run publish
npm run upload
npm run deploy:prod
yarn deploy
yarn run publish
pnpm deploy-docs
pnpm run deploy
bun run deploy
make deploy
make publish
make package
just deploy
task deploy
rake release
./deploy.sh
./deploy.sh prod
bash deploy.sh
node deploy.js
node scripts/publish.js
python deploy.py
python scripts/upload.py dist/a.js
mvn package
mvn deploy
gradle publish
./gradlew publish
sbt publish
cargo build
cargo run -- deploy
go build ./...
go run . deploy
go run ./cmd/tool deploy
tsc -p .
tsc
next build
vite build
ng build
webpack
rollup -c
esbuild src/a.ts --bundle --outfile=dist/a.js
uv sync
uv run pytest
uv pip install -e .
pip install .
pip install -e .
pip install . --index-url https://pypi.test/simple
pip wheel -w dist x
poetry install
poetry check
hatch run test
hatch test
pdm install
pdm sync
rye sync
conda install x
conda env create -f environment.yml
twine check dist/a-1.whl
twine upload dist/a-1.whl
twine upload dist/*
python -m twine upload dist/*
gem install x
gem list
gem push x-1.0.gem
bundle install
R CMD check src
docker build src
docker build -t app src
docker build -
docker build https://x.test/y.git
docker push app
docker pull app
docker run app deploy
docker images
docker ps
docker compose up -d
docker compose push
podman push app
kubectl get deploy
kubectl rollout restart deploy web
kubectl logs deploy/web
kubectl apply -f app.yaml
kubectl delete deploy web
helm push x.tgz oci://r.test/x
helm upgrade web src
pack builder suggest
nixpacks plan src
skaffold dev --help
dagger functions
cdk synth
cdk diff
cdk bootstrap
cdk ls
cdk deploy --help
pulumi preview
pulumi stack ls
terraform plan
terraform apply
wrangler dev
wrangler tail
wrangler whoami
wrangler secret list
wrangler deploy --dry-run --help
wrangler deploy --assets dist
supabase start
supabase db push
supabase functions serve
modal run app.py
clasp pull
clasp login
shopify theme dev
gh-pages -d dist
gh pr create --title deploy
gh release create v1 dist/a.js
gh workflow run deploy
gh run list --workflow deploy
git push
git push origin deploy
git commit -m deploy
git checkout deploy
git branch publish
git log deploy
git stash push
git archive HEAD src -o x.zip
git archive HEAD:src
hg push
jj git push
prisma db push
npx prisma db push
npx prisma migrate deploy
npx drizzle-kit push
npx vitest run deploy
npx jest upload
npx playwright test publish
npx eslint .
npx prettier --check .
npx tsc -p .
npx biome check .
npx expo start
npx cap sync
npx serve .
npx http-server .
npx degit a/b .
npx create-next-app .
eslint .
ruff check .
mypy .
black .
pytest .
pytest -k deploy
pytest tests/deploy
rubocop .
golangci-lint run .
shellcheck deploy
cat deploy
cat upload
ls deploy
ls .
cd deploy
mkdir publish
mkdir -p deploy upload
rm -rf publish
touch upload
echo deploy
echo deploy to https://x.test
printf deploy
grep deploy src/a.ts
grep -r publish src
rg upload src
sed -n 1p deploy
vim deploy
code .
code deploy
open .
less publish
head upload
wc deploy
cp src/a.ts deploy
mv deploy publish
tar xf deploy
chmod +x deploy
ssh host deploy
ssh deploy
ping deploy
curl https://x.test/deploy
wget -P . https://x.test/a
git clone https://x.test/a.git .
svn checkout https://x.test/a .
systemctl restart deploy
journalctl -u deploy
tmux new -s deploy
tmux attach -t deploy
screen -S deploy
man deploy
which deploy
type publish
ps aux
tree .
du -sh .
cloc .
tokei .
some-tool
some-tool .
some-tool --help
some-tool deploy --help
some-tool publish --dry-run
some-tool build
some-tool test
some-tool lint .
some-tool deploy src
some-tool publish dist
some-tool upload dist/a.js
some-tool src https://x.test/up
some-tool . http://localhost:3000
some-tool https://x.test/a .
some-tool status deploy
some-tool logs deploy
some-tool list publish
cowsay push
logger deploy
act push
act -j deploy
rpm -qi package
nats pub deploy hi
some-tool a b deploy
`);

describe('a program that takes a whole folder with a secret', () => {
  it.each(TAKES)('asks: %s', async (line) => {
    verifies('S18');
    expect(await decidedIn(ENV, line)).toBe('secret');
  });

  it.each(PASSES)('passes: %s', async (line) => {
    verifies('S18');
    expect(await decidedIn(ENV, line)).toBe('allow');
  });
});

const GIT = { '.git/HEAD': 'ref: refs/heads/main\n', '.git/objects/x': '', '.git/refs/x': '' };
describe('what is copied into a store, or handed over by a word that was no row', () => {
  it.each([
    ['nix build', {}, 'secret'],
    ['nix build .', {}, 'secret'],
    ['nix build .#app', {}, 'secret'],
    ['nix build path:.', { '.gitignore': '.env\n' }, 'secret'],
    ['nix develop -c make', {}, 'secret'],
    ['nix run .# -- --help', {}, 'secret'],
    ['nix copy --to ssh://host .#app', {}, 'secret'],
    ['nix flake check', {}, 'secret'],
    ['nixos-rebuild switch --flake .#box', {}, 'secret'],
    ['home-manager switch --flake .', {}, 'secret'],
    ['some-tool transfer', {}, 'secret'],
    ['some-tool transfer .', {}, 'secret'],
    ['some-tool go-live', {}, 'secret'],
    ['some-tool submit', {}, 'secret'],
    ['some-tool app transfer', {}, 'secret'],
    ['npx some-tool replicate', {}, 'secret'],
    ['nix build', { '.gitignore': '.env\n' }, 'allow'],
    ['nix build nixpkgs#hello', {}, 'allow'],
    ['nix run nixpkgs#hello -- a', {}, 'allow'],
    ['nix shell nixpkgs#jq nixpkgs#git', {}, 'allow'],
    ['nix copy --to ssh://host ./result', {}, 'allow'],
    ['nix flake update', {}, 'allow'],
    ['nix --version', {}, 'allow'],
    ['some-tool transfer src', {}, 'allow'],
    ['some-tool list transfer', {}, 'allow'],
  ] as const)('%s beside %j: %s', async (line, files, expected) => {
    verifies('S18');
    expect(await decidedIn({ ...ENV, ...files }, line)).toBe(expected);
  });
});

describe('what an archive of a commit holds', () => {
  it.each([
    ['git archive HEAD', {}, 'secret'],
    ['git archive HEAD~1 -o x.tar', {}, 'secret'],
    // The next commit holds no secret, and the one that is named may.
    ['git archive HEAD', { ...GIT, '.git/index': `DIRC\0\0\0\x02\0\0\0\x01${'x'.repeat(62)}src/a.ts\0` }, 'secret'],
    ['git rm --cached .env && git archive -o x.zip HEAD', {}, 'secret'],
    ['git archive --format=tar.gz --prefix=x/ v1.0', { '.gitignore': '.env\n' }, 'secret'],
    ['git archive HEAD src', {}, 'allow'],
    ['git archive HEAD:src', {}, 'allow'],
    ['git archive --add-file=.env HEAD src', {}, 'secret'],
    ['git archive HEAD:web', { 'web/.env': 'KEY=1' }, 'secret'],
  ] as const)('%s beside %j: %s', async (line, files, expected) => {
    verifies('S18');
    expect(await decidedIn({ ...ENV, ...files }, line)).toBe(expected);
  });
});
