-- The role that the service works under. It may log in nowhere: the service's
-- connections log in as their own user and take this role as they start, so that
-- they can do no more than the grants beside each table say.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'upcard_service') THEN
        CREATE ROLE upcard_service NOLOGIN;
    END IF;
EXCEPTION
    -- Roles belong to the whole server: another database's migration was first.
    WHEN duplicate_object OR unique_violation THEN NULL;
END
$$;

DO $$
BEGIN
    -- From PostgreSQL 16 on a role's maker is a member who may not take it: ask for SET.
    IF NOT pg_has_role(
        current_user, 'upcard_service',
        CASE WHEN current_setting('server_version_num')::int >= 160000
            THEN 'SET' ELSE 'MEMBER' END
    ) THEN
        EXECUTE format('GRANT upcard_service TO %I', current_user);
    END IF;
    EXECUTE format('GRANT USAGE ON SCHEMA %I TO upcard_service', current_schema());
END
$$;

GRANT SELECT ON migration TO upcard_service;
