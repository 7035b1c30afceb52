package s3

import (
	"bytes"
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"strings"
)

// checksum is the one that is kept with an object and answered to those who ask.
type checksum struct {
	Algorithm string `json:"algorithm"` // lower case, as in the header's name
	Value     string `json:"value"`     // base64, big-endian
}

const checksumPrefix = "x-amz-checksum-"

var (
	castagnoli = crc32.MakeTable(crc32.Castagnoli)
	nvme       = crc64.MakeTable(0x9a6c9329ac4bc9b5) // NVM Express, reversed

	algorithms = map[string]func() hash.Hash{
		"crc32":     func() hash.Hash { return crc32.NewIEEE() },
		"crc32c":    func() hash.Hash { return crc32.New(castagnoli) },
		"crc64nvme": func() hash.Hash { return crc64.New(nvme) },
		"sha1":      sha1.New,
		"sha256":    sha256.New,
	}

	checksumHeaders = []string{checksumPrefix + "crc32", checksumPrefix + "crc32c", checksumPrefix + "crc64nvme", checksumPrefix + "sha1", checksumPrefix + "sha256"}
)

// claim is what a request says about its body.
type claim struct {
	md5       []byte // nil if it says nothing
	algorithm string
	sum       []byte // nil: to be computed with the algorithm all the same
}

// claim reads Content-MD5 and x-amz-checksum-*. Without a checksum the service
// computes CRC64NVME, as S3 does.
func (c *call) claim() (claim, error) {
	var in claim
	if text, given := c.r.Header["Content-Md5"]; given {
		sum, err := base64.StdEncoding.DecodeString(text[0])
		if err != nil || len(sum) != md5.Size {
			return in, fault("InvalidDigest").with("Content-MD5", text[0])
		}
		in.md5 = sum
	}
	for _, header := range checksumHeaders {
		text, given := c.amz[header]
		if !given {
			continue
		}
		if in.sum != nil {
			return in, faultf("InvalidRequest", "Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.")
		}
		in.algorithm = strings.TrimPrefix(header, checksumPrefix)
		sum, err := base64.StdEncoding.DecodeString(text)
		if err != nil || len(sum) != algorithms[in.algorithm]().Size() {
			return in, faultf("InvalidRequest", "Value for "+header+" header is invalid.")
		}
		in.sum = sum
	}
	return in, c.announced(&in)
}

// announced holds the claim against x-amz-sdk-checksum-algorithm.
func (c *call) announced(in *claim) error {
	name, given := c.amz["x-amz-sdk-checksum-algorithm"]
	switch {
	case !given && in.sum == nil:
		in.algorithm = "crc64nvme"
	case given && in.sum == nil:
		return faultf("InvalidRequest", "x-amz-sdk-checksum-algorithm specified, but no corresponding x-amz-checksum-* or x-amz-trailer headers were found.")
	case given && !strings.EqualFold(name, in.algorithm):
		return faultf("InvalidRequest", "Value for x-amz-sdk-checksum-algorithm header is invalid.")
	}
	return nil
}

// digest computes, in one pass, what an object needs and a claim is about.
type digest struct {
	io.Writer
	claim    claim
	md5, sum hash.Hash
}

func (in claim) digest(to io.Writer) *digest {
	d := &digest{claim: in, md5: md5.New(), sum: algorithms[in.algorithm]()}
	d.Writer = beside{io.MultiWriter(to, d.sum), d.md5}
	return d
}

// beside writes to a hash, the slowest of all, while it writes to the rest.
type beside struct {
	io.Writer
	hash hash.Hash
}

func (b beside) Write(p []byte) (int, error) {
	hashed := make(chan struct{})
	go func() {
		b.hash.Write(p)
		close(hashed)
	}()
	n, err := b.Writer.Write(p)
	<-hashed
	return n, err
}

// check returns the two sums if the claim is true.
func (d *digest) check() (md5Sum []byte, kept checksum, err error) {
	md5Sum, sum := d.md5.Sum(nil), d.sum.Sum(nil)
	kept = checksum{d.claim.algorithm, base64.StdEncoding.EncodeToString(sum)}
	switch {
	case d.claim.md5 != nil && !bytes.Equal(d.claim.md5, md5Sum):
		err = faultf("BadDigest", "The Content-MD5 you specified did not match what we received.").
			with("CalculatedDigest", base64.StdEncoding.EncodeToString(md5Sum))
	case d.claim.sum != nil && !bytes.Equal(d.claim.sum, sum):
		err = faultf("BadDigest", "The "+strings.ToUpper(kept.Algorithm)+" you specified did not match the calculated checksum.")
	}
	return md5Sum, kept, err
}
