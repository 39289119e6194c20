/**
 * Files that other programs obey without being told to: by name, in any folder, whether they are there yet or not. One row
 * says what such a file does and when a person is asked about writing it. `docs/reference/autoloaded-files.md` lists the rows.
 *
 * A file that somebody starts by hand is not on the list: a script, a Makefile, `package.json`, the settings of a linter.
 */

export type AutoloadedRow = {
  /** Whose files they are. */
  of: string;
  /** It makes a program run; it tells an agent what to do; it names a server that an agent starts. */
  does: 'runs' | 'instructs' | 'serves';
  /**
   * `each time`: no kept rule covers it, and what a command in the sandbox makes of it is taken back or asked about.
   * `until named`: a rule that names it covers it, and a command may change it, since installs and version control do.
   */
  asks: 'each time' | 'until named';
  /** A name, with everything below it. With a slash: several segments of a path. `*` is any text within one segment. */
  files: readonly string[];
};

const words = (text: string): string[] => text.trim().split(/\s+/);

export const AUTOLOADED_FILES: readonly AutoloadedRow[] = [
  {
    of: 'version control',
    does: 'runs',
    asks: 'each time',
    files: words(`
      .git .hg .svn .bzr git~1 .jj .gitconfig .gitmodules .hgrc .lfsconfig .config/git .sl/config .subversion .pijul _darcs/prefs
    `),
  },
  {
    of: 'hooks at a commit',
    does: 'runs',
    asks: 'each time',
    files: words(`
      .husky .huskyrc* husky.config.* .githooks .git-hooks .pre-commit-config.y*ml prek.toml lefthook.* .lefthook.* lefthook-local.*
      .lefthook-local.* .config/lefthook.* .overcommit.yml .lintstagedrc* lint-staged.config.* .simple-git-hooks.* simple-git-hooks.*
      captainhook.json grumphp.y*ml .grumphp.y*ml hk.pkl .rusty-hook.toml .pre-commit-hooks.yaml commitlint.config.* .commitlintrc*
    `),
  },
  {
    of: 'halter and other agents',
    does: 'runs',
    asks: 'each time',
    files: words(`
      .halter .halterignore .claude .codex .gemini .qwen .opencode opencode.json opencode.jsonc .cursor .windsurf .codeium .cline
      .clinerules .roo .roomodes .kilocode .continue .continuerc.json .amazonq .kiro .junie .trae .augment .factory .goose .crush
      .crush.json crush.json .openhands .void .pearai .agent .agents .antigravity .mux conductor.json .codebuddy .rovodev .iflow .zencoder
      .warp .pi .amp .aider.conf.y*ml .copilot .github/hooks .github/copilot .container-use .vibe .kimi .grok .forge forge.y*ml .plandex
      .devin .tabnine .cody .abacusai .gptme gptme.toml .qodo
      .aider-desk .autohand .bob .codeartsdoer .codemaker .codestudio .codewhale .commandcode .cortex .fx .hermes .inferencesh .jazz .kilo
      .kimchi .kode .lingma .mcpjam .minimax .moxby .ona .posit/assistant .qoder .reasonix .terramind .tinycloud .zcode .neovate .pochi .adal
      .claude-plugin .codex-plugin .cursor-plugin .serena .openclaw
    `),
  },
  {
    of: 'rules of one agent',
    does: 'instructs',
    asks: 'each time',
    files: words('.cursorrules .windsurfrules .goosehints'),
  },
  {
    of: 'lists of MCP servers',
    does: 'serves',
    asks: 'each time',
    files: words(`
      .mcp.json mcp.json mcp_config.json mcp-config.json mcp_settings.json cline_mcp_settings.json claude_desktop_config.json
      .gitlab/duo
    `),
  },
  {
    of: 'editors',
    does: 'runs',
    asks: 'each time',
    files: words(`
      .vscode .vs .idea .fleet .zed .nova .theia .lapce .kateproject .externaltoolbuilders *.code-workspace *.sublime-project
      .devcontainer .devcontainer.json .gitpod.yml .idx .replit .dir-locals.el .dir-locals-2.el .ideavimrc .helix .kakrc
      .vimrc .gvimrc .lvimrc .exrc .nvimrc .nvim.lua .lazy.lua .vimspector.json .vimrc.local .local.vimrc .nvimrc.local
      .ycm_extra_conf.py .emacs .emacs.d .spacemacs .nanorc hie.yaml .merlin .latexmkrc latexmkrc
      .vim vimfiles _vimrc _gvimrc .gvimrc.local .config/vim .config/micro .config/kak .config/nano .nano .config/nvim .config/emacs .config/helix .config/zed .config/code .config/vscodium
      .config/cursor .config/sublime-text
      .run *.ipr *.iws .factorypath .settings .bsp buildServer.json .sourcekit-lsp rust-analyzer.toml .rust-analyzer.toml zls.json
      .luarc.json .luarc.jsonc omnisharp.json .lsp .elp.toml .phpactor.* .neoconf.json .nlsp-settings .nvim .nvim-dap.lua .lite_project.lua
      *.suo *.pro.user CMakeLists.txt.user .tm_properties devfile.y*ml .devfile.y*ml .codesandbox .stackblitzrc
    `),
  },
  {
    of: 'shells and what they load',
    does: 'runs',
    asks: 'each time',
    files: words(`
      .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_completion .profile .login .logout .cshrc .tcshrc .kshrc
      .mkshrc .shrc .zshrc .zshenv .zprofile .zlogin .zlogout .oh-my-zsh .p10k.zsh .xonshrc .inputrc .editrc .pam_environment
      .xprofile .xinitrc .xsession .xsessionrc .envrc .envrc.* .direnvrc .shadowenv.d .autoenv .autoenv.zsh .localrc
      .autoenv_leave.zsh .autoenv.leave
      .bashrc.d .bash.d .bash_profile.d .profile.d .zshrc.d .zsh.d .bashrc.local .zshrc.local .bash_functions .bash_it .oh-my-bash .zsh .zfunc
      .zprezto .zpreztorc .zimrc .zim .zinit .antigen .zcompdump* .blerc .config/bash .config/shell .config/readline
      .local/share/bash-completion .local/share/fish .local/share/dbus-1 .local/share/nautilus .local/share/gnome-shell .config/plasma-workspace
      .config/autostart-scripts .xbindkeysrc .xserverrc .xmonad .config/openbox .config/bspwm .config/sxhkd .config/awesome .config/qtile
      .direnv/*.rc .direnv/bin .ondirrc .rvmrc .rbenv-vars .powrc .powenv
      .config/fish .config/nushell .config/powershell .config/zsh .config/xonsh .config/elvish .config/starship.toml .config/direnv
      .config/environment.d .config/systemd .config/autostart .local/share/systemd .local/share/applications .local/bin
      Library/LaunchAgents Library/LaunchDaemons .crontab .forward .procmailrc
    `),
  },
  {
    of: 'managers of tools and versions',
    does: 'runs',
    asks: 'each time',
    files: words(`
      mise.toml .mise.toml mise.*.toml .mise.*.toml .mise .rtx.toml mise/config.toml .config/mise .tool-versions .asdfrc devbox.json .flox
      rust-toolchain rust-toolchain.toml .bazelversion .bazeliskrc .prototools .moon pkgx.y*ml .pkgx.y*ml aqua.y*ml .aqua.y*ml
      bin/hermit.hcl bin/activate-hermit .sdkmanrc
    `),
  },
  {
    of: 'package managers',
    does: 'runs',
    asks: 'each time',
    files: words(`
      .npmrc .yarnrc .yarnrc.yml .pnpmfile.cjs .pnpmfile.mjs pnpmfile.js pnpm-workspace.y*ml .bunfig.toml bunfig.toml .config/npm
      .yarn/releases .yarn/plugins .yarn/sdks pip.conf pip.ini .config/pip .pydistutils.cfg uv.toml .config/uv .condarc .gemrc .bundle
      .corepack.env poetry.toml pdm.toml .pdm.toml .pixi/config.toml .config/go/env .config/pypoetry .config/composer .config/yarn .config/pnpm .swiftpm/configuration nuget.config .cargo/config .cargo/config.toml .cargo/bin
    `),
  },
  {
    of: 'build tools',
    does: 'runs',
    asks: 'each time',
    files: words(`
      .bazelrc *.bazelrc .bazelrc.* tools/bazel .buckconfig .buckconfig.* .watchmanconfig .gradle/init.d .gradle/init.gradle
      .m2/settings.xml .mvn/extensions.xml .mvn/jvm.config .mvn/maven.config .mvn/wrapper
      .mvn/settings.xml .mvn/*.properties local.properties Directory.Build.rsp MSBuild.rsp .arcconfig gradle/wrapper .jvmopts .sbtopts .mill-jvm-opts
      ansible.cfg .ansible.cfg .terraformrc terraform.rc .tofurc .docker/cli-plugins .docker/config.json
    `),
  },
  {
    of: 'interpreters and debuggers',
    does: 'runs',
    asks: 'each time',
    files: words(`
      sitecustomize.py usercustomize.py .pythonrc .pythonrc.py .pdbrc .ipython/profile_default/startup jupyter_server_config.py
      jupyter_notebook_config.py .jupyter .rprofile .renviron .ghci .irbrc .pryrc .byebugrc .iex.exs .ocamlinit .octaverc .erlang
      .rdata .radian_profile .perldb .rdbgrc* irbrc _irbrc .julia/config .gdbinit .lldbinit .sqliterc .psqlrc .proverc
    `),
  },
  {
    of: 'other programs of a terminal or desktop',
    does: 'runs',
    asks: 'each time',
    files: words(`
      .screenrc .tmux.conf .tmuxp.* .tmuxinator.y*ml .smug.y*ml .config/tmux .ripgreprc .ackrc .agrc .curlrc .wgetrc .lesskey .lessfilter .mailcap .mailrc .muttrc .fzfrc
      .wezterm.lua .hammerspoon .config/lazygit .config/i3 .config/sway .config/hypr .config/kitty .config/alacritty .config/wezterm
      .config/ghostty .config/zellij .config/foot .config/tmuxinator .config/mpv .config/ranger .config/lf .config/yazi .config/nnn .config/gh .config/glab-cli
      .config/neomutt .config/mutt .mutt .config/aerc .config/newsboat .config/waybar .config/polybar .config/rofi .config/dunst
    `),
  },
  {
    of: 'the version of a tool, which may be a path to a program',
    does: 'runs',
    asks: 'until named',
    files: words(`
      .python-version .python-versions .node-version .nvmrc .ruby-version .java-version .go-version .terraform-version .opentofu-version
      .perl-version .php-version .bun-version .deno-version .swift-version .crystal-version .lua-version
    `),
  },
  {
    of: 'instructions for agents',
    does: 'instructs',
    asks: 'until named',
    files: words(`
      AGENTS.md AGENTS.*.md AGENT.md CLAUDE.md CLAUDE.*.md GEMINI.md QWEN.md CRUSH.md WARP.md IFLOW.md CODEBUDDY.md OPENCODE.md GROK.md
      replit.md .rules .roorules* .clinerules-* .kilocoderules* .augment-guidelines .openhands_instructions .pr_agent.toml .coderabbit.y*ml
      .ai .aiassistant .sourcegraph .github/copilot-instructions.md .github/instructions .github/prompts .github/chatmodes .github/agents
      .github/skills .gitlab/rules
    `),
  },
  {
    of: 'build services, which run them after a push',
    does: 'runs',
    asks: 'until named',
    files: words(`
      .github/workflows .github/actions .gitlab-ci.yml .gitlab/ci .circleci .buildkite .travis.yml .drone.yml .woodpecker .woodpecker.y*ml
      .forgejo .gitea .cirrus.yml appveyor.yml .appveyor.yml .semaphore .teamcity .tekton .builds .build.yml azure-pipelines.yml
      bitbucket-pipelines.yml cloudbuild.y*ml buildspec.yml Jenkinsfile
    `),
  },
  {
    of: 'what an install writes, and shells, editors and interpreters load by themselves',
    does: 'runs',
    asks: 'until named',
    files: words(`
      site-packages/*.pth dist-packages/*.pth pyvenv.cfg .pnp.cjs .pnp.js .pnp.loader.mjs .venv/bin .venv/Scripts venv/bin venv/Scripts .direnv
      bin/activate bin/activate.fish bin/activate.csh bin/activate.nu bin/activate.ps1 bin/activate.xsh bin/activate_this.py Scripts/activate Scripts/activate.bat Scripts/activate.ps1 bin/postactivate bin/preactivate bin/postdeactivate
      bin/predeactivate activate.d deactivate.d .devbox .terraform/providers
    `),
  },
  {
    of: 'web servers, which read them in the folder that they serve',
    does: 'runs',
    asks: 'until named',
    files: words('.htaccess .user.ini web.config'),
  },
];
