/**
 * The SQL for events: messages that are stored so that clients can resume a stream. A new event replaces the oldest
 * events if its stream or its session would exceed a limit. After a stream has ended, no process can add events to it.
 */
export const EVENTS: string = `
-- Ids are never given twice, whatever becomes of the events.
CREATE SEQUENCE event_ids;

CREATE TABLE events (
  id         bigint      PRIMARY KEY,
  session    text        NOT NULL,
  stream     text        NOT NULL,
  -- NULL is no message: the stream has come to its end.
  message    text,
  bytes      integer     NOT NULL,
  expires_at timestamptz NOT NULL
);
CREATE INDEX events_of_stream ON events (session, stream, id);
CREATE INDEX events_expiry ON events (expires_at);
CREATE TRIGGER give_usage AFTER DELETE ON events REFERENCING OLD TABLE AS deleted
  FOR EACH STATEMENT EXECUTE FUNCTION give_usage('events', 'session');

-- Keeps an event within the bounds of its stream and session.
CREATE FUNCTION put_event(
  p_session text, p_stream text, p_message text, p_bytes integer, p_for_ms bigint,
  p_max_events bigint, p_max_bytes bigint
) RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_id    bigint := nextval('event_ids');
  v_items bigint;
  v_bytes bigint;
BEGIN
  -- What is too large by itself is not worth the loss of everything else.
  IF p_bytes > p_max_bytes THEN RETURN v_id; END IF;
  -- The last events may be lost in a crash: a client that resumes gets what is left, and no message waits for the disk.
  PERFORM set_config('synchronous_commit', 'off', true);
  INSERT INTO events (id, session, stream, message, bytes, expires_at)
  VALUES (v_id, p_session, p_stream, p_message, p_bytes, later(p_for_ms));
  INSERT INTO usage AS u (kind, client, items, bytes) VALUES ('events', '=' || p_session, 1, p_bytes)
  ON CONFLICT (kind, client) DO UPDATE SET items = u.items + 1, bytes = u.bytes + p_bytes
  RETURNING items, bytes INTO v_items, v_bytes;
  -- Both look at many rows, so they are not done each time: some more are kept than the bounds say, or some less.
  IF v_items > p_max_events AND v_items % 16 = 0 THEN
    DELETE FROM events WHERE id = ANY (ARRAY(
      SELECT id FROM events
       WHERE session = p_session AND stream = p_stream AND id <= (
         SELECT id FROM events WHERE session = p_session AND stream = p_stream
          ORDER BY id DESC OFFSET p_max_events LIMIT 1)
       FOR UPDATE SKIP LOCKED));
  END IF;
  IF v_bytes > p_max_bytes THEN
    DELETE FROM events WHERE id = ANY (ARRAY(
      SELECT id FROM events
       WHERE session = p_session AND id < (
         SELECT min(id) FROM (
           SELECT id, sum(bytes) OVER (ORDER BY id DESC) AS kept FROM events WHERE session = p_session
         ) AS newest WHERE kept <= p_max_bytes * 9 / 10 OR id = v_id)
       FOR UPDATE SKIP LOCKED));
  END IF;
  RETURN v_id;
END $$;

-- Keeps an event, or without a message the end of the stream. Those who write to one stream wait for each other until their transactions
-- end: what they see of it is true, and ids are in order.
-- @returns the id of the event; NULL when the stream had ended before, or has no events whose end there would be to note.
CREATE FUNCTION append_event(
  p_session text, p_stream text, p_message text, p_bytes integer, p_for_ms bigint,
  p_max_events bigint, p_max_bytes bigint, p_ends boolean
) RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_id    bigint;
  v_ended boolean;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('sigil stream'), hashtext(p_stream));
  -- Its end is the last of it. Another statement than the lock: it sees what was written before that.
  SELECT message IS NULL AND expires_at > clock_timestamp() INTO v_ended FROM events
   WHERE session = p_session AND stream = p_stream ORDER BY id DESC LIMIT 1;
  IF coalesce(v_ended, p_message IS NULL) THEN RETURN NULL; END IF;
  v_id := put_event(p_session, p_stream, p_message, p_bytes, p_for_ms, p_max_events, p_max_bytes);
  IF p_ends THEN PERFORM put_event(p_session, p_stream, NULL, 0, p_for_ms, p_max_events, p_max_bytes); END IF;
  RETURN v_id;
END $$;

-- Drops the oldest events of all sessions beyond so many bytes. @returns whether there is more to do.
CREATE FUNCTION sweep_events(p_max_bytes bigint) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_more  boolean := sweep('events');
  v_bytes bigint;
  v_ids   bigint[] := '{}';
  r       record;
BEGIN
  SELECT sum(bytes) - p_max_bytes INTO v_bytes FROM usage WHERE kind = 'events';
  IF v_bytes IS NULL OR v_bytes <= 0 THEN RETURN v_more; END IF;
  IF NOT pg_try_advisory_xact_lock(hashtext('sigil sweep'), hashtext(current_schema() || '.events')) THEN
    RETURN false;
  END IF;
  FOR r IN SELECT id, bytes FROM events ORDER BY id LIMIT 5000 FOR UPDATE SKIP LOCKED LOOP
    EXIT WHEN v_bytes <= 0;
    v_ids := v_ids || r.id;
    v_bytes := v_bytes - r.bytes;
  END LOOP;
  DELETE FROM events WHERE id = ANY (v_ids);
  RETURN v_bytes > 0;
END $$;
`;
