/** Streams that have ended take no more events, of whatever process. */
export const ENDED_STREAMS: string = `
-- Those who write to one stream wait for each other until their transactions end: what they see of it is true, and ids are in order.
CREATE FUNCTION has_ended(p_session text, p_stream text) RETURNS boolean
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('sigil stream'), hashtext(p_stream));
  -- Its end is the last of it. Another statement than the lock: it sees what was written before that.
  RETURN coalesce((
    SELECT message IS NULL AND expires_at > clock_timestamp() FROM events
     WHERE session = p_session AND stream = p_stream
     ORDER BY id DESC LIMIT 1), false);
END $$;

-- The function of this name without p_ends is called by programs of the first version, which may run beside those of this one.
-- @returns the id of the event; NULL when the stream had ended before.
CREATE FUNCTION append_event(
  p_session text, p_stream text, p_message text, p_bytes integer, p_for_ms bigint,
  p_max_events bigint, p_max_bytes bigint, p_ends boolean
) RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  v_id bigint;
BEGIN
  IF has_ended(p_session, p_stream) THEN RETURN NULL; END IF;
  v_id := append_event(p_session, p_stream, p_message, p_bytes, p_for_ms, p_max_events, p_max_bytes);
  IF p_ends THEN
    PERFORM append_event(p_session, p_stream, NULL, 0, p_for_ms, 9223372036854775807, 9223372036854775807);
  END IF;
  RETURN v_id;
END $$;

-- Of a stream without events there is nothing to note.
CREATE OR REPLACE FUNCTION end_stream(p_session text, p_stream text, p_for_ms bigint) RETURNS void
LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
BEGIN
  IF NOT has_ended(p_session, p_stream)
     AND EXISTS (SELECT FROM events WHERE session = p_session AND stream = p_stream) THEN
    PERFORM append_event(p_session, p_stream, NULL, 0, p_for_ms, 9223372036854775807, 9223372036854775807);
  END IF;
END $$;
`;
