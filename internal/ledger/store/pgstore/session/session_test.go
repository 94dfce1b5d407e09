package session_test

import (
	"context"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/stretchr/testify/require"

	"orchestrator/internal/fault"
	"orchestrator/internal/ledger/store/pgstore/session"
)

// A server of a version before the oldest that is supported is refused.
//
// Verifies: ORC-340
func TestServerTooOld(t *testing.T) {
	for version, code := range map[string]fault.Code{
		"14.12 (Debian 14.12-1)": "store_version", "9.6.24": "store_version", "15beta1": "store_unreachable",
	} {
		config, err := session.Parse("postgres://u:secret@" + fakeServer(t, version) + "/d?sslmode=disable")
		require.NoError(t, err)
		_, err = config.Connect(t.Context(), session.Options{ReadOnly: true})
		require.True(t, fault.Is(err, code), "%s: %v", version, err)
		require.NotContains(t, err.Error(), "secret")
	}
}

// fakeServer greets each client as a server of a version does, and goes.
func fakeServer(t *testing.T, version string) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			backend := pgproto3.NewBackend(conn, conn)
			if _, err := backend.ReceiveStartupMessage(); err == nil {
				backend.Send(&pgproto3.AuthenticationOk{})
				backend.Send(&pgproto3.ParameterStatus{Name: "server_version", Value: version})
				backend.Send(&pgproto3.ReadyForQuery{TxStatus: 'I'})
				_ = backend.Flush()
			}
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

func TestPlaceHasNoPassword(t *testing.T) {
	config, err := session.Parse("postgres://u:secret@one:5433,two/d?sslmode=prefer&search_path=log")
	require.NoError(t, err)
	require.Equal(t, "log", config.Schema())
	require.Equal(t, "schema log of database d at one:5433, two:5432", config.Place())
	config, err = session.Parse("host=/run/postgresql dbname=d password=secret")
	require.NoError(t, err)
	require.Equal(t, "schema orchestrator of database d at /run/postgresql", config.Place())
}

// Who gives a connection up while it is made, as by Ctrl-C, learns nothing of the server.
func TestAConnectionThatIsGivenUpSaysNothingOfTheServer(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer silent.Close()
	config, err := session.Parse("postgres://app@" + silent.Addr().String() + "/shop?sslmode=disable")
	require.NoError(t, err)
	ctx, giveUp := context.WithCancel(t.Context())
	go func() {
		if met, err := silent.Accept(); err == nil {
			defer met.Close()
			giveUp()
			<-t.Context().Done()
		}
	}()
	_, err = config.Connect(ctx, session.Options{})
	require.ErrorIs(t, err, context.Canceled)
	require.Nil(t, fault.As(err), "%v", err)
}
