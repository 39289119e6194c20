/** What the words of `dotnet` and of its builder may carry: every property of a build may name a program that it runs. */
import { type Objection, spelled } from '../objections.ts';

/** Properties that say how much is told, how it is numbered or for what it is built. */
const PROPERTY =
  /^(?:Version|VersionPrefix|VersionSuffix|AssemblyVersion|FileVersion|PackageVersion|InformationalVersion|Configuration|Platform|TargetFramework|RuntimeIdentifier|TreatWarningsAsErrors|WarningLevel|NoWarn|Nullable|PublishSingleFile|PublishTrimmed|PublishReadyToRun|SelfContained|DebugType|DebugSymbols|Deterministic|ContinuousIntegrationBuild|CollectCoverage|CoverletOutputFormat|Threshold|GenerateDocumentationFile|RunAnalyzers)=[\w.+,-]*$/i;
const IS_PROPERTY = /^(?:--?|\/)(?:p|property)(?:[:=](.*))?$/is;
/** Loggers, targets, files of options, other properties, sources, adapters. */
const CARRIES =
  /^@|^(?:--?|\/)(?:t|target|l|logger|dl|distributedlogger|bl|binarylogger|flp?\d?|fileloggerparameters\d?|rp|restoreproperty|s|source|settings|d|diag|pp|preprocess|ds|irc|orc|inputresultscaches|outputresultscache|a|test-adapter-path|configfile|packages|tool-path|tool-manifest|artifacts-path|results-directory|lock-file-path|collect|launch-profile|project|additionalprobingpath|depsfile|runtimeconfig|roll-forward|fx-version)(?:[:=].*)?$/is;
const OUTPUT = /^(?:-o|--output)(?:[:=](.*))?$/s;
const OUTPUT_FOLDER = /^(?:\.\/)?(?:bin|out|build|dist|publish|artifacts)(?:\/[\w-][\w.-]*)*\/?$/;
/** Some of these mean something plain where the value says so. */
const PLAIN_VALUE = /^(?:trx|console|html|x64|x86|arm64|arm|XPlat Code Coverage)(?:;verbosity=\w+)?$/;

export const dotnetObjections = (words: readonly string[], from: number): Objection[] =>
  words.flatMap((word, at) => {
    // Behind `--` a test has its settings.
    const isSetting = words[from - 1] === 'test' && words.slice(from, at).includes('--') && /^[\w.]+=/.test(word);
    if (at < from || !(isSetting || carries(word, words[at + 1] ?? ''))) return [];
    return [spelled(at, `${word} may carry a program, a host or a file`)];
  });

const carries = (word: string, next: string): boolean => {
  const property = IS_PROPERTY.exec(word);
  if (property !== null) return !PROPERTY.test(property[1] ?? next);
  const output = OUTPUT.exec(word);
  if (output !== null) return !OUTPUT_FOLDER.test(output[1] ?? next);
  if (!CARRIES.test(word)) return false;
  const isPlain = /^(?:-l|--logger|-a|--arch|--collect)$/.test(word) && PLAIN_VALUE.test(next);
  const isOwnProject = word === '--project' && /^(?!\.\.)[\w.-]+(?:\/(?!\.\.)[\w.-]+)*$/.test(next);
  return !isPlain && !isOwnProject;
};

/** Options that are judged here by their value. */
export const isJudgedByDotnet = (word: string): boolean =>
  /^--(?:output|project|arch|collect|logger)(?:[:=]|$)/.test(word);
