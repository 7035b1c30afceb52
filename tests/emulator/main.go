// Command emulator runs the end-to-end suite against an emulator of AWS, whose HTTP API
// answers by its host name alone, where no resolver knows that name:
//
//	WINDLASS_TEST_URL=http://API.execute-api.localhost:4566 go run ./tests/emulator ministack
//
// It listens on a port of this machine, puts the API's own name into each request, and
// sends all else on byte by byte: tests send request lines that no proxy would leave as
// they are. What the emulator is known to do otherwise than AWS is in known.go.
package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "emulator:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 || known[args[0]] == nil {
		return errors.New("want the emulator's name: ministack or localstack")
	}
	lacks := known[args[0]]
	api, err := url.Parse(os.Getenv("WINDLASS_TEST_URL"))
	if err != nil || api.Scheme != "http" || api.Port() == "" {
		return errors.New("set WINDLASS_TEST_URL to http://API-HOST:PORT")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer l.Close()
	go serve(l, api.Host, net.JoinHostPort("127.0.0.1", api.Port()))
	at := "http://" + l.Addr().String()
	found, err := suite(at)
	if err != nil {
		return err
	}
	if err := found.again(at, lacks); err != nil {
		return err
	}
	found.summary(lacks)
	if surprises := judged(found, lacks); len(surprises) > 0 {
		return errors.New(strings.Join(surprises, "; "))
	}
	return nil
}

func serve(l net.Listener, host, to string) {
	for {
		client, err := l.Accept()
		if err != nil {
			return // closed: the command is over
		}
		go pass(client, host, to)
	}
}

// pass carries one request: each has a connection of its own, so that only its head
// need be looked at.
func pass(client net.Conn, host, to string) {
	defer client.Close()
	server, err := net.Dial("tcp", to)
	if err != nil {
		return // the client sees its connection closed
	}
	defer server.Close()
	in := bufio.NewReader(client)
	named, err := head(in, host)
	if err != nil {
		return
	}
	go func() {
		_, _ = io.WriteString(server, named)
		_, _ = io.Copy(server, in)
	}()
	_, _ = io.Copy(client, server)
}

// maxHead bounds what is read before a request is sent on.
const maxHead = 64 << 10

// head reads a request's head, and names the API and the end of the connection in it.
func head(in *bufio.Reader, host string) (string, error) {
	var b strings.Builder
	for b.Len() < maxHead {
		line, err := in.ReadString('\n')
		if err != nil {
			return "", err
		}
		name, _, _ := strings.Cut(line, ":")
		switch {
		case strings.EqualFold(name, "Host"):
			line = "Host: " + host + "\r\nConnection: close\r\n"
		case strings.EqualFold(name, "Connection"):
			continue
		}
		b.WriteString(line)
		if strings.TrimRight(line, "\r\n") == "" {
			return b.String(), nil
		}
	}
	return "", errors.New("the head of the request is too large")
}
