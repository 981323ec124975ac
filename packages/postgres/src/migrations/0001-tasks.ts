/**
 * The SQL for tasks. An update fails if another process has changed the task in the meantime. If a run does not renew
 * its lease in time, another process can run the task. If there is no room for a new task, the oldest finished tasks of
 * its owner are deleted.
 */
export const TASKS: string = `
-- Under which name an owner takes its turn. No name is that of those who are not known.
CREATE FUNCTION turn_of(p_owner text) RETURNS text LANGUAGE sql IMMUTABLE AS $$ SELECT coalesce('=' || p_owner, '-') $$;

CREATE TABLE tasks (
  id         text        PRIMARY KEY,
  seq        bigint      GENERATED ALWAYS AS IDENTITY UNIQUE,
  version    integer     NOT NULL,
  owner      text,
  turn       text        COLLATE "C" NOT NULL GENERATED ALWAYS AS (turn_of(owner)) STORED,
  tool       text        NOT NULL,
  status     text        NOT NULL,
  run        text,
  attempts   integer     NOT NULL,
  -- The end of its delay or of its lease; NULL where it cannot be claimed.
  not_before timestamptz,
  -- Version, run and attempts in it are those of the last write, not of the last claim.
  body       text        NOT NULL,
  bytes      integer     NOT NULL,
  expires_at timestamptz
);
CREATE INDEX tasks_claimable ON tasks (turn, not_before) WHERE not_before IS NOT NULL;
CREATE INDEX tasks_finished ON tasks (turn, seq) WHERE status IN ('completed', 'cancelled', 'failed');
CREATE INDEX tasks_expiry ON tasks (expires_at) WHERE expires_at IS NOT NULL;
CREATE TRIGGER give_usage AFTER DELETE ON tasks REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION give_usage('tasks', 'owner');

-- Takes room for one task more or none, and for so many bytes, if p_give says so from finished tasks of the same owner, but for one.
CREATE FUNCTION take_task_room(
  p_owner text, p_except text, p_items bigint, p_bytes bigint,
  p_max_items bigint, p_max_items_each bigint, p_max_bytes bigint, p_max_bytes_each bigint, p_give boolean
) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_items bigint;
  v_bytes bigint;
  v_own   usage;
  v_ids   text[] := '{}';
  r       record;
BEGIN
  IF take_usage('tasks', p_owner, p_items, p_bytes, p_max_items, p_max_items_each, p_max_bytes, p_max_bytes_each) THEN
    RETURN true;
  END IF;
  IF NOT p_give THEN RETURN false; END IF;
  SELECT * INTO v_own FROM usage WHERE kind = 'tasks' AND client = '=' || p_owner FOR UPDATE;
  -- By how much it is too much. Where an owner has nothing yet, its own bounds are kept by take_usage.
  SELECT p_items * greatest(items + p_items - p_max_items, coalesce(v_own.items + p_items - p_max_items_each, 0)),
         greatest(bytes + p_bytes - p_max_bytes, coalesce(v_own.bytes + p_bytes - p_max_bytes_each, 0))
    INTO v_items, v_bytes FROM usage WHERE kind = 'tasks' AND client = '' FOR UPDATE;
  FOR r IN
    SELECT id, bytes FROM tasks
     WHERE turn = turn_of(p_owner) AND status IN ('completed', 'cancelled', 'failed') AND id <> p_except
     ORDER BY seq FOR UPDATE SKIP LOCKED
  LOOP
    EXIT WHEN v_items <= 0 AND v_bytes <= 0;
    v_ids := v_ids || r.id;
    v_items := v_items - 1;
    v_bytes := v_bytes - r.bytes;
  END LOOP;
  IF v_items > 0 OR v_bytes > 0 THEN RETURN false; END IF;
  DELETE FROM tasks WHERE id = ANY (v_ids);
  RETURN take_usage('tasks', p_owner, p_items, p_bytes, p_max_items, p_max_items_each, p_max_bytes, p_max_bytes_each);
END $$;

CREATE FUNCTION create_task(
  p_id text, p_version integer, p_owner text, p_tool text, p_status text, p_run text, p_attempts integer,
  p_delay_ms bigint, p_ttl_ms bigint, p_body text, p_bytes integer,
  p_max_items bigint, p_max_items_each bigint, p_max_bytes bigint, p_max_bytes_each bigint, p_give boolean
) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT take_task_room(
    p_owner, p_id, 1, p_bytes, p_max_items, p_max_items_each, p_max_bytes, p_max_bytes_each, p_give
  ) THEN RETURN false; END IF;
  INSERT INTO tasks (id, version, owner, tool, status, run, attempts, not_before, body, bytes, expires_at)
  VALUES (p_id, p_version, p_owner, p_tool, p_status, p_run, p_attempts, later(p_delay_ms), p_body, p_bytes, later(p_ttl_ms));
  RETURN true;
END $$;

-- @returns 'replaced', 'changed' or 'full'.
CREATE FUNCTION replace_task(
  p_id text, p_version integer, p_status text, p_run text, p_attempts integer, p_keeps_time boolean, p_delay_ms bigint,
  p_body text, p_bytes integer,
  p_max_items bigint, p_max_items_each bigint, p_max_bytes bigint, p_max_bytes_each bigint, p_give boolean
) RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_owner text;
  v_more  bigint;
BEGIN
  SELECT owner, p_bytes - bytes INTO v_owner, v_more FROM tasks
   WHERE id = p_id AND version = p_version - 1 AND (expires_at IS NULL OR expires_at > clock_timestamp())
   FOR UPDATE;
  IF NOT FOUND THEN RETURN 'changed'; END IF;
  IF v_more <> 0 AND NOT take_task_room(
    v_owner, p_id, 0, v_more, p_max_items, p_max_items_each, p_max_bytes, p_max_bytes_each, p_give
  ) THEN RETURN 'full'; END IF;
  UPDATE tasks
     SET version = p_version, status = p_status, run = p_run, attempts = p_attempts, body = p_body, bytes = p_bytes,
         not_before = CASE WHEN p_keeps_time THEN not_before ELSE later(p_delay_ms) END
   WHERE id = p_id;
  RETURN 'replaced';
END $$;

-- In milliseconds since 1970.
CREATE FUNCTION now_ms() RETURNS float8 LANGUAGE sql VOLATILE AS $$ SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 $$;

-- Begins a run of a task, if it can be claimed, and p_deadline is not over: nobody waits for the answer then.
CREATE FUNCTION claim_task(p_id text, p_run text, p_lease_ms bigint, p_deadline float8) RETURNS SETOF tasks
LANGUAGE sql SET search_path FROM CURRENT AS $$
  UPDATE tasks SET version = version + 1, run = p_run, attempts = attempts + 1, not_before = later(p_lease_ms)
   WHERE id = p_id AND not_before <= clock_timestamp() AND (expires_at IS NULL OR expires_at > clock_timestamp())
     AND now_ms() <= p_deadline
  RETURNING *
$$;

-- Begins runs of so many tasks, but for those of some tools and owners: one of each owner in turn, beginning behind p_turn. From owner to
-- owner it goes by the index, so that what it costs depends on how many owners there are, not on how many tasks. A task without a run has
-- to be claimable for p_overdue_ms.
CREATE FUNCTION claim_tasks(
  p_run text, p_limit integer, p_lease_ms bigint, p_turn text, p_tools text[], p_owners text[], p_overdue_ms bigint,
  p_deadline float8
) RETURNS SETOF tasks LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  -- What is compared with an index has to stay the same.
  v_now  timestamptz := clock_timestamp();
  v_left integer     := p_limit;
  v_last integer;
  r      record;
BEGIN
  WHILE v_left > 0 AND now_ms() <= p_deadline LOOP
    SELECT turn, owner, not_before INTO r FROM tasks
     WHERE not_before IS NOT NULL AND turn > p_turn ORDER BY turn, not_before LIMIT 1;
    IF NOT FOUND THEN
      -- A whole round in which there was nothing is the last one.
      EXIT WHEN v_left = v_last;
      v_last := v_left;
      p_turn := '';
      CONTINUE;
    END IF;
    p_turn := r.turn;
    CONTINUE WHEN r.not_before > v_now OR EXISTS (SELECT FROM unnest(p_owners) AS o WHERE o IS NOT DISTINCT FROM r.owner);
    RETURN QUERY SELECT * FROM claim_task((
      SELECT id FROM tasks
       WHERE turn = p_turn AND not_before <= v_now AND tool <> ALL (p_tools)
         AND (run IS NOT NULL OR not_before <= v_now - p_overdue_ms * interval '1 millisecond')
         AND (expires_at IS NULL OR expires_at > clock_timestamp())
       ORDER BY not_before LIMIT 1 FOR UPDATE SKIP LOCKED), p_run, p_lease_ms, p_deadline);
    IF FOUND THEN v_left := v_left - 1; END IF;
  END LOOP;
  IF v_left < p_limit AND now_ms() > p_deadline THEN
    RAISE EXCEPTION 'The claim took too long' USING ERRCODE = 'query_canceled';
  END IF;
END $$;
`;
