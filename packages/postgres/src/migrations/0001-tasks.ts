/** The first version of tasks: compare-and-set, and the oldest finished task of an owner gives way to a new one. */
export const TASKS: string = `
CREATE TABLE tasks (
  id         text    PRIMARY KEY,
  seq        bigint  GENERATED ALWAYS AS IDENTITY,
  version    bigint  NOT NULL,
  owner      text,
  status     text    NOT NULL,
  is_queued  boolean NOT NULL,
  body       text    NOT NULL,
  bytes      integer NOT NULL,
  expires_at timestamptz
);
CREATE INDEX tasks_queued ON tasks (seq) WHERE is_queued;
CREATE INDEX tasks_finished ON tasks (owner, seq) WHERE status IN ('completed', 'cancelled', 'failed');
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
     WHERE (owner = p_owner OR (p_owner IS NULL AND owner IS NULL))
       AND status IN ('completed', 'cancelled', 'failed') AND id <> p_except
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
  p_id text, p_version bigint, p_owner text, p_status text, p_is_queued boolean, p_body text, p_bytes integer, p_ttl_ms bigint,
  p_max_items bigint, p_max_items_each bigint, p_max_bytes bigint, p_max_bytes_each bigint, p_give boolean
) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT take_task_room(
    p_owner, p_id, 1, p_bytes, p_max_items, p_max_items_each, p_max_bytes, p_max_bytes_each, p_give
  ) THEN RETURN false; END IF;
  INSERT INTO tasks (id, version, owner, status, is_queued, body, bytes, expires_at)
  VALUES (p_id, p_version, p_owner, p_status, p_is_queued, p_body, p_bytes, later(p_ttl_ms));
  RETURN true;
END $$;

-- @returns 'replaced', 'changed' or 'full'.
CREATE FUNCTION replace_task(
  p_id text, p_version bigint, p_status text, p_is_queued boolean, p_body text, p_bytes integer,
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
  UPDATE tasks SET version = p_version, status = p_status, is_queued = p_is_queued, body = p_body, bytes = p_bytes WHERE id = p_id;
  RETURN 'replaced';
END $$;
`;
