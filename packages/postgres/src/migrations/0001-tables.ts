import type { StateKind } from '@sigil/core/backend';

/**
 * The SQL of the first version: a table for each kind of stored data, such as sessions, and functions for atomic
 * operations. Table names contain no schema, because each function finds the tables in the schema that it was created
 * in.
 *
 * Locks are always acquired in the same order, so that two calls never wait for each other. The order is: the stored
 * row, then the row that counts the data of its client, then the row that counts all data. Statements that cannot keep
 * this order skip locked rows.
 */
export const TABLES: string = `
CREATE FUNCTION later(p_ms bigint) RETURNS timestamptz LANGUAGE sql VOLATILE STRICT AS $$
  -- A hundred years are enough: what is further from now has no date.
  SELECT clock_timestamp() + least(p_ms, 3153600000000) * interval '1 millisecond'
$$;

-- How much there is of each kind: of one client, whose name follows a '=', and of all together, whose name is empty.
CREATE TABLE usage (
  kind   text   NOT NULL,
  client text   NOT NULL,
  items  bigint NOT NULL,
  bytes  bigint NOT NULL,
  PRIMARY KEY (kind, client)
) WITH (fillfactor = 50);

-- Adds to one row, unless that would be more than its bounds.
CREATE FUNCTION add_usage(
  p_kind text, p_client text, p_items bigint, p_bytes bigint, p_max_items bigint, p_max_bytes bigint
) RETURNS boolean LANGUAGE sql SET search_path FROM CURRENT AS $$
  INSERT INTO usage AS u (kind, client, items, bytes)
  SELECT p_kind, p_client, p_items, p_bytes WHERE p_items <= p_max_items AND p_bytes <= p_max_bytes
  ON CONFLICT (kind, client) DO UPDATE SET items = u.items + p_items, bytes = u.bytes + p_bytes
    WHERE (p_items <= 0 OR u.items + p_items <= p_max_items) AND (p_bytes <= 0 OR u.bytes + p_bytes <= p_max_bytes)
  RETURNING true
$$;

-- Adds to the row of a client and to that of all, or to none. Without a client, the bounds of all are the only ones.
CREATE FUNCTION take_usage(
  p_kind text, p_client text, p_items bigint, p_bytes bigint,
  p_max_items bigint, p_max_items_each bigint, p_max_bytes bigint, p_max_bytes_each bigint
) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF p_client IS NULL THEN
    RETURN add_usage(p_kind, '', p_items, p_bytes, p_max_items, p_max_bytes) IS TRUE;
  END IF;
  IF add_usage(p_kind, '=' || p_client, p_items, p_bytes, p_max_items_each, p_max_bytes_each) IS NOT TRUE THEN
    RETURN false;
  END IF;
  IF add_usage(p_kind, '', p_items, p_bytes, p_max_items, p_max_bytes) THEN RETURN true; END IF;
  PERFORM add_usage(p_kind, '=' || p_client, -p_items, -p_bytes, 0, 0);
  RETURN false;
END $$;

-- Of deleted rows, gives back what they took. Its arguments are the kind, and the column with the client.
CREATE FUNCTION give_usage() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  r record;
  v_items bigint := 0;
  v_bytes bigint := 0;
BEGIN
  FOR r IN EXECUTE format(
    'SELECT %I AS client, count(*) AS items, sum(bytes) AS bytes FROM deleted GROUP BY 1 ORDER BY 1', TG_ARGV[1]
  ) LOOP
    UPDATE usage SET items = items - r.items, bytes = bytes - r.bytes
     WHERE kind = TG_ARGV[0] AND client = '=' || r.client;
    v_items := v_items + r.items;
    v_bytes := v_bytes + r.bytes;
  END LOOP;
  IF v_items > 0 THEN
    UPDATE usage SET items = items - v_items, bytes = bytes - v_bytes WHERE kind = TG_ARGV[0] AND client = '';
  END IF;
  RETURN NULL;
END $$;

-- What processes do now and then, one of them at a time: deletes rows that have expired, some thousands at once.
-- @returns whether there is more to do.
CREATE FUNCTION sweep(p_table text) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_count integer;
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('sigil sweep'), hashtext(current_schema() || '.' || p_table)) THEN
    RETURN false;
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM usage WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM usage WHERE kind = p_table AND client <> '' AND items = 0 LIMIT 5000 FOR UPDATE SKIP LOCKED));
  EXECUTE format(
    'DELETE FROM %1$I WHERE ctid = ANY (ARRAY(
       SELECT ctid FROM %1$I WHERE expires_at <= clock_timestamp() LIMIT 5000 FOR UPDATE SKIP LOCKED))', p_table);
  GET DIAGNOSTICS v_count = ROW_COUNT;
  RETURN v_count = 5000;
END $$;

CREATE TABLE sessions (
  id         text        PRIMARY KEY,
  version    bigint      NOT NULL,
  client     text,
  body       text        NOT NULL,
  bytes      integer     NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL
);
CREATE INDEX sessions_expiry ON sessions (expires_at);
CREATE TRIGGER give_usage AFTER DELETE ON sessions REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION give_usage('sessions', 'client');

CREATE FUNCTION create_session(
  p_id text, p_version bigint, p_client text, p_body text, p_idle_ms bigint, p_max bigint, p_max_each bigint
) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT take_usage('sessions', p_client, 1, 0, p_max, p_max_each, 0, 0) THEN RETURN false; END IF;
  INSERT INTO sessions (id, version, client, body, expires_at)
  VALUES (p_id, p_version, p_client, p_body, later(p_idle_ms));
  RETURN true;
END $$;

${usedOnce('states')}
${usedOnce('proofs')}
CREATE TABLE limits (
  key     text             PRIMARY KEY,
  -- When there is room for all again, in milliseconds since 1970.
  full_at double precision NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX limits_order ON limits (full_at);

CREATE FUNCTION epoch_ms() RETURNS double precision LANGUAGE sql VOLATILE AS $$
  SELECT extract(epoch FROM clock_timestamp())::double precision * 1000
$$;

-- Takes from what a key may have, which comes back evenly. used_ms: how long it takes to come back.
CREATE FUNCTION take_limit(
  p_key text, p_most_ms double precision, p_cost_ms double precision, OUT allowed boolean, OUT used_ms double precision
) LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_full_at double precision;
  v_now     double precision;
BEGIN
  -- To lose counts in a crash does less harm than to wait for the disk each time.
  PERFORM set_config('synchronous_commit', 'off', true);
  LOOP
    SELECT full_at INTO v_full_at FROM limits WHERE key = p_key FOR UPDATE;
    EXIT WHEN FOUND;
    INSERT INTO limits (key, full_at) VALUES (p_key, 0) ON CONFLICT (key) DO NOTHING;
  END LOOP;
  v_now := epoch_ms();
  used_ms := greatest(v_full_at - v_now, 0);
  allowed := used_ms + p_cost_ms <= p_most_ms;
  IF NOT allowed THEN RETURN; END IF;
  used_ms := used_ms + p_cost_ms;
  UPDATE limits SET full_at = v_now + used_ms WHERE key = p_key;
END $$;

-- Forgets keys that have room for all again, and beyond so many those that are nearest to it.
CREATE FUNCTION sweep_limits(p_max_keys bigint) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtext('sigil sweep'), hashtext(current_schema() || '.limits')) THEN
    RETURN false;
  END IF;
  PERFORM set_config('synchronous_commit', 'off', true);
  DELETE FROM limits WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM limits WHERE full_at <= epoch_ms() LIMIT 5000 FOR UPDATE SKIP LOCKED));
  DELETE FROM limits WHERE ctid = ANY (ARRAY(
    SELECT ctid FROM limits ORDER BY full_at
     LIMIT least(5000, greatest(0, (SELECT count(*) FROM limits) - p_max_keys)) FOR UPDATE SKIP LOCKED));
  RETURN EXISTS (SELECT FROM limits WHERE full_at <= epoch_ms());
END $$;

-- Messages between processes that are too long, or not meant, for a notification.
CREATE TABLE messages (
  id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  body       text        NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX messages_expiry ON messages (expires_at);

CREATE FUNCTION publish_message(p_channel text, p_body text, p_for_ms bigint) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_id bigint;
BEGIN
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO messages (body, expires_at) VALUES (p_body, later(p_for_ms)) RETURNING id INTO v_id;
  PERFORM pg_notify(p_channel, '#' || v_id);
END $$;
`;

/**
 * Values that may be used once. Proofs of possession have a separate table, so that they take no room from request
 * states.
 */
function usedOnce(table: StateKind): string {
  return `
CREATE TABLE ${table} (
  id         text        PRIMARY KEY,
  client     text,
  bytes      integer     NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL
);
CREATE INDEX ${table}_expiry ON ${table} (expires_at);
CREATE TRIGGER give_usage AFTER DELETE ON ${table} REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION give_usage('${table}', 'client');

-- @returns 'first', 'used', 'full', or 'forgotten': it was made before these tables were.
CREATE FUNCTION use_${table}(
  p_id text, p_for_ms bigint, p_client text, p_max bigint, p_max_each bigint, p_age_ms bigint
) RETURNS text LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF EXISTS (SELECT FROM ${table} WHERE id = p_id) THEN
    UPDATE ${table} SET expires_at = later(p_for_ms) WHERE id = p_id AND expires_at <= clock_timestamp();
    RETURN CASE WHEN FOUND THEN 'first' ELSE 'used' END;
  END IF;
  IF clock_timestamp() - p_age_ms * interval '1 millisecond' < (SELECT min(applied_at) FROM migrations) THEN
    RETURN 'forgotten';
  END IF;
  IF NOT take_usage('${table}', p_client, 1, 0, p_max, p_max_each, 0, 0) THEN RETURN 'full'; END IF;
  INSERT INTO ${table} (id, client, expires_at) VALUES (p_id, p_client, later(p_for_ms)) ON CONFLICT (id) DO NOTHING;
  IF FOUND THEN RETURN 'first'; END IF;
  PERFORM take_usage('${table}', p_client, -1, 0, 0, 0, 0, 0);
  RETURN 'used';
END $$;`;
}
