/** The numbers a local user lives by: quiet, and always in the same place. */
import { useSnapshot } from '../app-context.tsx';
import { answerRate, reusedShare } from '../conversation/answer-figures.ts';
import { percent, tokens } from '../parts/format.ts';

const FULL_SHARE = 0.85;
const percentOf = (share: number): string => `${Math.min(100, Math.max(2, share * 100))}%`;

export const Meters = ({ contextLength }: { contextLength: number | undefined }) => {
  const { usage, use } = useSnapshot().view;
  // Of an answer that no model wrote there is nothing to measure.
  if (!use || use.tokens === 0) return null;
  const { tokens: used, isEstimated } = use;
  const about = isEstimated ? 'about ' : '';
  const share = contextLength ? used / contextLength : undefined;
  // What was measured before room was made says nothing of the prompt that comes.
  const measured = isEstimated ? undefined : usage;
  const reused = measured && reusedShare(measured);
  const rate = measured && answerRate(measured);
  return (
    <div className="flex items-center gap-3 whitespace-nowrap text-xs tabular-nums text-soft" data-meters>
      {share === undefined ? (
        <span title={isEstimated ? 'Tokens of the next prompt' : 'Tokens of the last prompt and its answer'}>
          {about}
          {tokens(used)} tokens
        </span>
      ) : (
        <span
          className="flex items-center gap-1.5"
          title={`${about}${used} of ${contextLength} tokens of the context window`}
        >
          {/* biome-ignore lint/a11y/useSemanticElements: browsers draw a meter in colours of their own. */}
          <span
            role="meter"
            aria-label="Context window used"
            aria-valuemin={0}
            aria-valuemax={contextLength}
            aria-valuenow={used}
            className="h-1.5 w-14 overflow-hidden rounded-full bg-hover"
          >
            <span
              className={`block h-full rounded-full ${share > FULL_SHARE ? 'bg-warn' : 'bg-edge'}`}
              style={{ width: percentOf(share) }}
            />
          </span>
          {about}
          {tokens(used)} / {tokens(contextLength as number)}
        </span>
      )}
      {reused !== undefined && (
        <span title="Share of the last prompt that was taken from the cache" className="max-sm:hidden">
          {percent(reused)} reused
        </span>
      )}
      {rate !== undefined && <span className="max-sm:hidden">{rate}</span>}
    </div>
  );
};
