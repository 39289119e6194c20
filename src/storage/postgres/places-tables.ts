/**
 * Requests to model servers, of all processes: those that wait, and those that have a place. What a crash of the database
 * loses of it is asked for again, so nobody waits for its disk.
 *
 * `take_places` does everything in one statement and under one lock: it removes what is over and what belongs to processes
 * that are gone, adds what is new, goes through all that wait in the order of their turns, and gives this process's own
 * requests their places. Places that are others' turn are kept free for them. Turns are those of core/model-places.ts.
 */
import { STORAGE_LIMITS } from '../limits.ts';
import { DATABASE_IS_NEW, leaseIsFresh, showsLife } from './lease.ts';
import { LOCK_CLASS, PLACES_LOCK } from './locks.ts';

const TABLE = `
  CREATE TABLE halter.model_requests (
    id text COLLATE "C" PRIMARY KEY,
    ticket bigint GENERATED ALWAYS AS IDENTITY,
    process integer NOT NULL,
    conversation text COLLATE "C" NOT NULL,
    turn bigint NOT NULL,
    servers text[] NOT NULL,
    server text,
    asked_at timestamptz NOT NULL DEFAULT clock_timestamp()
  ) WITH (fillfactor = 50);
`;

/** `gone`: a condition on the process of a `request`. */
const takePlaces = (create: string, gone: string): string => `
  ${create} FUNCTION halter.take_places(self integer, per_server integer, done text[], wanted jsonb)
  RETURNS TABLE (id text, server text, before integer) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE
    one record;
    name text;
    free text;
    used jsonb;
    passed jsonb := '{}';
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    PERFORM pg_advisory_xact_lock(${LOCK_CLASS}, ${PLACES_LOCK});
    DELETE FROM halter.model_requests AS request WHERE request.id = ANY (done) OR (
      request.process <> self
      AND ${gone});
    FOR one IN
      SELECT entry.value ->> 'id' AS wanted_id, entry.value ->> 'conversation' AS wanted_by,
        ARRAY(SELECT jsonb_array_elements_text(entry.value -> 'servers')) AS at, request.servers AS before
      FROM jsonb_array_elements(wanted) WITH ORDINALITY AS entry (value, number)
      LEFT JOIN halter.model_requests AS request ON request.id = entry.value ->> 'id'
      ORDER BY entry.number
    LOOP
      IF one.before IS NULL THEN
        INSERT INTO halter.model_requests (id, process, conversation, servers, turn)
        SELECT one.wanted_id, self, one.wanted_by, one.at, greatest(
          COALESCE(max(other.turn) FILTER (WHERE other.server IS NOT NULL), min(other.turn), 0),
          COALESCE(max(other.turn) FILTER (WHERE other.conversation = one.wanted_by) + 1, 0))
        FROM halter.model_requests AS other;
      ELSIF one.before <> one.at THEN
        UPDATE halter.model_requests AS request SET servers = one.at
        WHERE request.id = one.wanted_id AND request.server IS NULL;
      END IF;
    END LOOP;
    SELECT COALESCE(jsonb_object_agg(taken.server, taken.count), '{}') INTO used FROM (
      SELECT request.server, count(*) AS count FROM halter.model_requests AS request
      WHERE request.server IS NOT NULL GROUP BY request.server) AS taken;
    RETURN QUERY SELECT request.id, request.server, 0 FROM halter.model_requests AS request
      WHERE request.process = self AND request.server IS NOT NULL
        AND request.id IN (SELECT entry.value ->> 'id' FROM jsonb_array_elements(wanted) AS entry (value));
    FOR one IN
      SELECT request.id, request.process, request.servers FROM halter.model_requests AS request
      WHERE request.server IS NULL ORDER BY request.turn, request.ticket
    LOOP
      free := NULL;
      FOREACH name IN ARRAY one.servers LOOP
        IF COALESCE((used ->> name)::integer, 0) < per_server THEN
          free := name;
          EXIT;
        END IF;
      END LOOP;
      IF free IS NOT NULL THEN
        used := used || jsonb_build_object(free, COALESCE((used ->> free)::integer, 0) + 1);
        IF one.process = self THEN
          UPDATE halter.model_requests AS request SET server = free WHERE request.id = one.id;
          id := one.id; server := free; before := 0;
          RETURN NEXT;
        END IF;
      ELSE
        before := 0;
        FOREACH name IN ARRAY one.servers LOOP
          before := greatest(before, COALESCE((passed ->> name)::integer, 0));
        END LOOP;
        FOREACH name IN ARRAY one.servers LOOP
          passed := passed || jsonb_build_object(name, COALESCE((passed ->> name)::integer, 0) + 1);
        END LOOP;
        IF one.process = self THEN
          id := one.id; server := NULL;
          RETURN NEXT;
        END IF;
      END IF;
    END LOOP;
  END
  $$;
  `;

const ONLY_BY_LEASE = `
      pg_postmaster_start_time() < clock_timestamp() - interval '${2 * STORAGE_LIMITS.leaseMs} milliseconds'
      AND NOT EXISTS (
        SELECT FROM halter.leases WHERE leases.number = request.process
          AND renewed_at >= clock_timestamp() - interval '${STORAGE_LIMITS.leaseMs} milliseconds')`;

export const PLACES_TABLES = `${TABLE}${takePlaces('CREATE', ONLY_BY_LEASE)}`;

/** `lives`: a condition on the process of a `request` that holds no lock. */
const placesUnless = (lives: string): string =>
  takePlaces(
    'CREATE OR REPLACE',
    `((${ONLY_BY_LEASE}) OR (
      NOT ${lives} AND NOT ${DATABASE_IS_NEW}
      AND request.process::bigint NOT IN (
        SELECT objid::bigint FROM pg_locks
        WHERE locktype = 'advisory' AND classid::bigint = ${LOCK_CLASS} AND objsubid = 2 AND granted
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))))`,
  );

/** Places of a process that was killed are free as soon as its sessions are, and not when its lease is over. */
export const PLACES_OF_THE_DEAD = placesUnless(leaseIsFresh('request.process'));
export const PLACES_OF_THE_KILLED = placesUnless(showsLife('request.process'));
